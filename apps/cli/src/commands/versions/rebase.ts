/** `backstitch rebase`: replays the intents of one branch onto another, in a run of their own. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  onto: Flags.text("onto", "RUN", "Run to replay its intents onto"),
  as: Flags.text("as", "NEW", "Name for the result (default: RUN-onto-RUN)"),
  continue: Flags.flag("continue", "Go on with a rebase that stopped: name its result, or both runs again"),
  skip: Flags.flag("skip", "With --continue: leave out the intent at which it stopped"),
  abort: Flags.flag("abort", "Give a rebase up: both branches are as they were"),
  dryRun: Flags.flag("dry-run", "Judge every intent as if all calls came out as before; commit and call nothing"),
  agent: Flags.agent
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const rebase = Command.make("rebase", config).pipe(
  Command.withDescription(
    "Replay the intents of a branch onto the head of another run, in tick order, in a fork of that run. Reads and " +
      "idempotent writes are made again, effectful tools answer from the record, and an intent that does not fit stops it."
  ),
  Command.withShortDescription("Carry the intents of a branch onto another run"),
  Command.withExamples([
    { command: "backstitch rebase fund-b --onto fund-a --dry-run", description: "Would everything fit?" },
    { command: "backstitch rebase fund-b --onto fund-a --agent fund.ts", description: "Replay" },
    {
      command: "backstitch rebase fund-b-onto-fund-a --continue --agent fund.ts",
      description: "Go on after a conflict"
    }
  ])
)
