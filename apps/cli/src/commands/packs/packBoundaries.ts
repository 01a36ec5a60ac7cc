/** `backstitch pack boundaries`: draws candidate boundaries of subtasks, and compares the reviewed ones with them. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(Argument.withMetavar("FILE"), Argument.withDescription("Pack to read"))
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const boundaries = Command.make("boundaries", config).pipe(
  Command.withDescription(
    "Draw candidate boundaries of subtasks from the machine and the tools of a pack, count what there is to " +
      "review, and show where the reviewed skeletons differ. A candidate is no boundary before people have signed it."
  ),
  Command.withShortDescription("Draw boundaries of subtasks for review"),
  Command.withExamples([
    { command: "backstitch pack boundaries form.yaml", description: "The boundaries, for a reviewer" }
  ])
)
