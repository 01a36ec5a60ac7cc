/** `backstitch pack test`: runs the tests that a pack carries. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(Argument.withMetavar("FILE"), Argument.withDescription("Pack to test"))
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const test = Command.make("test", config).pipe(
  Command.withDescription(
    "Run the tests of a pack: each a proposal in a given state, and what the pack has to answer. Nothing is " +
      "asked of the world."
  ),
  Command.withShortDescription("Run the tests of a pack"),
  Command.withExamples([{ command: "backstitch pack test travel.yaml", description: "Before the pack is signed" }])
)
