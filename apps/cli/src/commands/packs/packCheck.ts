/** `backstitch pack check`: reads a pack and prints its mistakes. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(Argument.withMetavar("FILE"), Argument.withDescription("Pack to read"))
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const check = Command.make("check", config).pipe(
  Command.withDescription(
    "Read a pack and say everything that is wrong in it at once, each with line, column, what was found and what was " +
      "expected. Say of each tool how its effect can be undone."
  ),
  Command.withShortDescription("Say what is wrong in a pack"),
  Command.withExamples([{ command: "backstitch pack check travel.yaml", description: "Check a file" }])
)
