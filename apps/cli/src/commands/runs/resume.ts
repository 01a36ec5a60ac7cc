/** `backstitch resume`: settles what a crash left open, and continues. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"

const config = {
  run: Flags.run,
  agent: Flags.agent,
  snapshots: Flags.snapshots,
  wait: Flags.flag("wait", "Wait while another process goes on with the run"),
  again: Flags.text("again", "TICK", "Repeat the act that this tick refused as already done"),
  breakGlass: Flags.text(
    "break-glass",
    "REVIEW",
    "In an emergency: start what waits in this review without its approval. It is on record and reviewed afterwards"
  ),
  past: Flags.text(
    "past",
    "ALARM",
    "Go on although this alarm of the topology holds the run, such as topology.runaway: a person has looked at it"
  ),
  by: Flags.text("by", "NAME", "With --break-glass or --past: who decides"),
  reason: Flags.text("reason", "TEXT", "With --break-glass or --past: why"),
  ...ModelFlags.flags
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const resume = Command.make("resume", config).pipe(
  Command.withDescription(
    "Settle what a crash or an unanswered call left open, under the original keys, and go on. Without an agent, say what is open."
  ),
  Command.withShortDescription("Go on with a run after a crash or a hold"),
  Command.withExamples([
    { command: "backstitch resume trip-42 --agent travel.ts", description: "Settle what is open and go on" },
    { command: "backstitch resume trip-42", description: "Only say what is open" },
    {
      command:
        'backstitch resume trip-42 --agent travel.ts --break-glass r3fa41c09b7d2 --by Ada --reason "the hotel is on fire"',
      description: "In an emergency, start a critical mutation that nobody is there to approve"
    }
  ])
)
