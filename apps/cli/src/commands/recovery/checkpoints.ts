/** `backstitch checkpoints`: lists the points to which subtasks of a run may go back. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = { run: Flags.run }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const checkpoints = Command.make("checkpoints", config).pipe(
  Command.withDescription(
    "List the checkpoints of each subtask. A checkpoint names a tick, whose state is in the trace."
  ),
  Command.withShortDescription("List the checkpoints of a run's subtasks"),
  Command.withExamples([
    { command: "backstitch checkpoints trip-42", description: "The points to which each subtask could go back" }
  ])
)
