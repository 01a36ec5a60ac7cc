/** `backstitch bisect`: finds the first tick at which a condition held. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as QuestionFlags from "./QuestionFlags.ts"

const config = {
  run: Flags.run,
  ...QuestionFlags.flags,
  divergence: Flags.text("divergence", "RUN", "The first tick at which another run did something else"),
  regression: Flags.text(
    "regression",
    "METRIC",
    "The first fall of progress, structural_completion, constraint_satisfaction, skeptic_survival_rate or a field"
  ),
  record: Flags.flag("record", "Commit the answer to the run"),
  diagnosis: Flags.choice(
    "diagnosis",
    ["state", "policy", "foundational"],
    "Your verdict on what was wrong; it is committed with the answer"
  ),
  by: Flags.text("by", "NAME", "With --diagnosis: who decided")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const bisect = Command.make("bisect", config).pipe(
  Command.withDescription(
    "Find the first tick at which a predicate was violated, an anomaly occurred or policy changed, or say that " +
      "there is none. Predicates of the pack are found by halving, in a few steps; any other expression is evaluated at " +
      "every tick of the run."
  ),
  Command.withShortDescription("Find the tick where a failure began"),
  Command.withExamples([
    { command: "backstitch bisect trip-42 --predicate overspent", description: "A predicate of the pack" },
    { command: 'backstitch bisect trip-42 --predicate "world.spent > 500"', description: "An expression" },
    { command: "backstitch bisect trip-42 --anomaly", description: "The first anomaly" },
    {
      command: "backstitch bisect trip-42 --predicate overspent --diagnosis policy --by ada",
      description: "With a verdict, on record"
    }
  ])
)
