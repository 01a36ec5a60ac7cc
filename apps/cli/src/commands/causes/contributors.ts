/** `backstitch contributors`: finds what led to an onset. */
import * as Limits from "@backstitch/version-control/Limits"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"
import * as QuestionFlags from "./QuestionFlags.ts"

const config = {
  run: Flags.run,
  ...QuestionFlags.flags,
  budget: Flag.Int("budget").pipe(
    Flag.withMetavar("FOLDS"),
    Flag.withDescription(
      `Folds that may be made (default: ${Limits.pacing.foldsPerHalving} ⌈log2 N⌉ for N ticks up to the onset)`
    ),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const contributors = Command.make("contributors", config).pipe(
  Command.withDescription(
    "Find a minimal set of intents before an onset without which it would not have come, by folding the run again " +
      "without them. Exact for the reducer; what the agent would have done without them is not known."
  ),
  Command.withShortDescription("Find what led to a failure"),
  Command.withExamples([
    {
      command: "backstitch contributors trip-42 --predicate overspent",
      description: "The intents that it took to overspend"
    }
  ])
)
