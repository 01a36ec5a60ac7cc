/** `backstitch recover`: takes the failed subtask of a run back to its latest admissible checkpoint. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as SubtaskFlags from "./SubtaskFlags.ts"

const config = {
  run: Flags.run,
  ...SubtaskFlags.flags,
  agent: Flags.agent,
  yes: Flags.flag("yes", "Carry it out: without this it is only told what would be done"),
  by: Flags.text("by", "NAME", "With --yes: the person who takes the subtask back, for the record"),
  reason: Flags.text("reason", "TEXT", "With --yes: why the subtask goes back, for the record")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const recover = Command.make("recover", config).pipe(
  Command.withDescription(
    "Take the failed subtask of a run, or the one that is named, back to its latest admissible checkpoint: effects " +
      "after it are undone through the ledger first, then its fields and the state of the agent are put back. Where " +
      "none is admissible nothing is done, and it is said who stands in the way."
  ),
  Command.withShortDescription("Take a failed subtask back to a checkpoint"),
  Command.withExamples([
    {
      command: "backstitch recover trip-42",
      description: "The restore that would be made, or the reasons against one"
    },
    { command: "backstitch recover trip-42 --instance slot::0::0", description: "The same of a subtask that is named" },
    {
      command: 'backstitch recover trip-42 --agent travel.ts --yes --reason "the slot was taken"',
      description: "Do it; the agent goes on with resume"
    }
  ])
)
