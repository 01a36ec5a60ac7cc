/** `backstitch replay`: reconstructs a state, or runs an agent again on recorded outputs. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  to: Flags.tick("to", "Tick to stop at"),
  mode: Flag.Literals("mode", ["fold", "strict", "recorded"]).pipe(
    Flag.withDescription(
      "fold: the state; strict: the state, every digest compared; recorded: the agent again, tools from the record"
    ),
    Flag.withDefault("fold")
  ),
  agent: Flags.agent,
  as: Flags.text("as", "NEW", "With recorded: keep what the agent does now as a run of this name")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const replay = Command.make("replay", config).pipe(
  Command.withDescription(
    "Reconstruct the state at a tick from the trace alone; or ask the agent again wherever it had proposed. " +
      "The world is never touched."
  ),
  Command.withShortDescription("Reconstruct a state from the trace"),
  Command.withExamples([
    { command: "backstitch replay trip-42 --to 7", description: "The state after tick 7" },
    {
      command: "backstitch replay trip-42 --mode recorded --agent travel.ts",
      description: "The agent again, without the world"
    }
  ])
)
