/** `backstitch gate`: runs the release gates for a pack, a recovery table or a ledger schema. */
import * as Limits from "@backstitch/release/Limits"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"
import * as CanaryFlags from "./CanaryFlags.ts"

const config = {
  against: Flags.path("against", "file").pipe(
    Flag.withMetavar("HISTORY"),
    Flag.withDescription("Recorded runs: a store, or a file that `export` wrote")
  ),
  pack: Flags.file("pack", "FILE", "Pack to promote; without it, those that the runs pin"),
  table: Flags.file("table", "FILE", "Recovery table to promote, as JSON; without it, the one in force"),
  schema: Flags.file("ledger-schema", "FILE", "Ledger schema to promote, as JSON Schema; without it, the one in force"),
  ...CanaryFlags.flags,
  actionsMin: Flags.text(
    "actions-min",
    "COUNT",
    `Actions that the canary has to have seen (default: ${Limits.refusing.canaryActionsMin})`
  ),
  slack: Flags.text(
    "slack",
    "SHARE",
    `The amount by which a rate of the canary may be above the others (default: ${Limits.refusing.canarySlackShareMax})`
  ),
  accepted: Flags.texts(
    "accept",
    "RUN/ACTION",
    "A recorded action, or RUN/TICK, that may come to something else; any number of times"
  ),
  undrilled: Flags.texts(
    "accept-undrilled",
    "TOOL",
    "A tool that may stay untried because no success of it is recorded; any number of times"
  ),
  reviewed: Flags.texts("reviewed", "TOOL", "A tool whose verification a person has looked at; any number of times")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const gate = Command.make("gate", config).pipe(
  Command.withDescription(
    "Run the eight release gates: trace replay, predicate diff, canary, failure injection, recovery drill, ledger " +
      "schema, false success and unknown state. Recorded runs are judged again, and the kernel is driven against " +
      "worlds that fail. Promotion is refused, with exit code 1, unless all pass. The canary is judged, not begun, here: " +
      "`run --canary PACK` begins its runs under the candidate."
  ),
  Command.withShortDescription("Run the release gates"),
  Command.withExamples([
    {
      command: "backstitch gate --against trace.db --pack new.yaml --canary-tenant pilot",
      description: "Before a pack is promoted"
    },
    {
      command: "backstitch gate --against trace.db --table table.json --canary-share 0.1",
      description: "Before a recovery table is promoted"
    }
  ])
)
