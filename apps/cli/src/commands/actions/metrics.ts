/** `backstitch metrics`: prints the nineteen measures of one run or of all. */
import * as Limits from "@backstitch/runtime/Limits"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("Name of the run; all runs of the tenant without it"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  since: Flags.text(
    "since",
    "DURATION",
    "Only actions that were proposed in the last 15m, 24h or 7d; those before are the baseline of a regression"
  ),
  pending: Flags.text(
    "pending-max",
    "DURATION",
    `The time for which anything may be pending before it is too long (default: ${Limits.showing.pendingMillisMax / 60_000}m)`
  ),
  prometheus: Flags.flag("prometheus", "Print the exposition format of Prometheus")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const metrics = Command.make("metrics", config).pipe(
  Command.withDescription(
    "Print the nineteen measures of verification, recovery and reporting, each as a count over a count, of one run " +
      "or of all runs of the tenant. What had no cases has no value."
  ),
  Command.withShortDescription("Print the metrics of verification and recovery"),
  Command.withExamples([
    { command: "backstitch metrics", description: "All runs of the tenant" },
    { command: "backstitch metrics --since 24h --prometheus", description: "For a scraper" }
  ])
)
