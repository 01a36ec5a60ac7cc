/** `backstitch seed`: begins a run from chosen artifacts of others. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(Argument.withMetavar("NEW"), Argument.withDescription("Name for the run")),
  from: Flag.String("from").pipe(
    Flag.withMetavar("RUN@TICK[:FIELD]"),
    Flag.withDescription("A field as it was after a tick or, without a field, the intent at that tick"),
    Flag.atLeast(1)
  ),
  pack: Flags.file("pack", "FILE", "Pack of the run (default: the one that all branches are under)"),
  goal: Flags.text("goal", "TEXT", "Goal to work for (default: that of the first branch)"),
  clauses: Flags.texts("clause", "NAME=VALUE", "Value of a clause of the specification"),
  dryRun: Flags.flag("dry-run", "Say what it would begin with, and commit nothing"),
  agent: Flags.agent
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const seed = Command.make("seed", config).pipe(
  Command.withDescription(
    "Begin a run from chosen fields and intents of several branches, with where each comes from on record. Two " +
      "histories are not merged: what the branches did stays theirs."
  ),
  Command.withShortDescription("Begin a run from artifacts of several"),
  Command.withExamples([
    {
      command: "backstitch seed plan-c --from plan-a@9:world.bookings --from plan-b:head:working.route",
      description: "Bookings of one branch, the route of another"
    }
  ])
)
