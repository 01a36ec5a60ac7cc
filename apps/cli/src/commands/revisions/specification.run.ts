/** Shows the specification of a run. */
import * as RunGoal from "@backstitch/runtime/RunGoal"
import * as Effect from "effect/Effect"
import * as RevisionView from "../../output/RevisionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as RevisionProblem from "./RevisionProblem.ts"
import type { Input } from "./specification.ts"

/** Prints the clauses in force and the revisions of the goal. */
export const handler: Handler<Input> = ({ run: name }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const shown = yield* Effect.catchTag(RunGoal.specification(run), "GoalUndeclared", RevisionProblem.usage)
    return Printer.answer(shown, () => RevisionView.specification(shown))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
