/** Plans a revision of a stored run. */
import * as FollowUp from "@backstitch/runtime/FollowUp"
import * as Revising from "@backstitch/runtime/Revising"
import * as RevisionReport from "@backstitch/runtime/RevisionReport"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as RevisionView from "../../output/RevisionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as RevisionSession from "../../program/RevisionSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./plan.ts"
import * as RevisionFlags from "./RevisionFlags.ts"

/** Plans the revision that the flags give, or what is pending. */
export const planned = Effect.fnUntraced(function* (run: Run, input: RevisionFlags.Given) {
  yield* FollowUp.refuse(run)
  const { pack } = yield* RevisionSession.at(run)
  const { changes } = yield* RevisionFlags.read(input, pack.specification)
  const found = yield* RevisionSession.keeping(input.keep)(
    Revising.stored(run, changes.length === 0 ? undefined : changes, { widen: input.widen })
  )
  if (found._tag === "Planned") return found.planned
  if (found._tag === "Refused") return yield* new Revising.RevisionRefused({ run: run.id, checks: found.checks })
  return yield* new Usage({
    problem: `Nothing is pending in run ${run.id}. Say what changes: --set, --add, --withdraw, --first or --revision`
  })
})

/** Prints the plan; 1 if it is blocked. */
export const handler: Handler<Input> = ({ run: name, ...input }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const shown = RevisionReport.plan(yield* planned(run, input))
    const view = () => {
      RevisionView.plan(run.id, shown)
      Terminal.print(Terminal.dim("nothing was recorded: inject does it"))
    }
    return Printer.answer({ run: run.id, ...shown }, view, shown.possible ? 0 : 1)
  }).pipe(Effect.provide(StoreSession.reading(globals)))
