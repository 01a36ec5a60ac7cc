/** Plans a revision of a stored run. */
import * as RunGoal from "@backstitch/runtime/RunGoal"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
import * as Effect from "effect/Effect"
import * as RevisionView from "../../output/RevisionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./plan.ts"
import * as RevisionFlags from "./RevisionFlags.ts"
import * as RevisionProblem from "./RevisionProblem.ts"

/** Prints the plan of the revision that the flags give, or of what is pending; 1 if it is blocked. */
export const handler: Handler<Input> = ({ run: name, ...input }, globals) =>
  Effect.gen(function* () {
    const model = yield* ModelSession.open(input)
    const run = yield* StoreSession.find(name, globals)
    const { pack } = yield* StoredRevision.revisable(run)
    const { changes } = yield* RevisionFlags.read(input, pack.specification)
    const isPending = changes.length === 0
    const revision = { changes, keeps: input.keep, widens: input.widen || undefined }
    const shown = yield* RunGoal.plan(run, revision, model?.judge)
    const view = () => {
      RevisionView.plan(run.id, shown)
      const next = isPending ? "resume the run, or inject with --agent, to carry it out" : "inject it to record it"
      Terminal.print(Terminal.dim(`nothing was recorded: ${next}`))
    }
    return Printer.answer(shown, view, ExitCode.of(shown.possible))
  }).pipe(
    Effect.catchTag(["AnswerUnasked", "GoalUndeclared", "NothingPending"], RevisionProblem.usage),
    Effect.provide(StoreSession.reading(globals))
  )
