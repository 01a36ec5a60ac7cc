/** Revises the goal of an open run. */
import * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as FollowUp from "@backstitch/runtime/FollowUp"
import type * as Revising from "@backstitch/runtime/Revising"
import * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
import * as Effect from "effect/Effect"
import type { InjectedRevision, Revision, RevisionPlan } from "../run/Revision.ts"
import * as CompensationCode from "../session/compensationCode.ts"
import * as KernelOutcomes from "../values/kernelOutcomes.ts"

/** Plans a revision as if it were injected now, and records nothing; `undefined` if there is nothing to plan. */
export const preview = ({ run }: RunHandle.RunHandle, revision: Revision) =>
  Effect.map(StoredRevision.plan(run, given(revision)), (plan): RevisionPlan | undefined => plan)

/**
 * Injects a revision and absorbs it: what it discards is undone through the ledger before the agent goes on. If the
 * goal was reached before, the run that follows is begun.
 */
export const inject = Effect.fnUntraced(
  function* (handle: RunHandle.RunHandle, asked: Revision) {
    const revision = given(asked)
    const { keeps = [], widens } = revision
    // Planned first, since an answer that nobody asks for is refused, and nothing is recorded.
    if (keeps.length > 0) yield* StoredRevision.plan(handle.run, revision)
    if (yield* CompensationCode.isLacking(handle)) {
      const plan = yield* StoredRevision.plan(handle.run, revision)
      yield* CompensationCode.demand(handle, plan?.undo.map(({ by }) => by) ?? [])
    }
    const { absorbed, next } = yield* Effect.provideService(
      FollowUp.revise(handle, revision, { widen: widens === true }),
      CompatibilityJudge.CompatibilityJudge,
      CompatibilityJudge.ofPerson(keeps)
    )
    yield* handle.flush
    const { tick } = yield* handle.standing
    const outcome = absorbed?.outcome ?? { _tag: "Done", tick, output: {}, basis: "committed" }
    const revised: InjectedRevision = {
      outcome: yield* KernelOutcomes.outcome(handle, outcome),
      plan: absorbed && RevisionDocuments.plan(absorbed.planned),
      next: next?.id
    }
    return revised
  },
  (effect, handle) =>
    Effect.catchTag(effect, "RevisionRefused", ({ checks }) =>
      Effect.map(
        KernelOutcomes.outcome(handle, { _tag: "Refused", tick: undefined, checks }),
        (outcome): InjectedRevision => ({ outcome, plan: undefined, next: undefined })
      )
    ),
  Effect.scoped
)

const given = ({ keeps = [], widens, ...revision }: Revision): Revising.Revision => ({
  ...revision,
  keeps: keeps.length === 0 ? undefined : keeps,
  widens: widens === true ? true : undefined
})
