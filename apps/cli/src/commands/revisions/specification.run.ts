/** Shows the specification of a run. */
import * as History from "@backstitch/runtime/History"
import * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
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
    const history = yield* History.History
    const { pack, state } = yield* Effect.catchTag(StoredRevision.at(run), "GoalUndeclared", RevisionProblem.usage)
    const transitions = yield* history.transitions(run)
    const shown = RevisionDocuments.specification(pack, { state, transitions })
    return Printer.answer({ run: run.id, ...shown }, () => RevisionView.specification(run.id, shown))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
