/** Approvals that wait for a person, in the runs of a tenant, and the actions for which decided approvals were used. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BreakGlass from "@backstitch/kernel/BreakGlass"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as ApprovedArguments from "./ApprovedArguments.ts"
import * as OpenActionStatus from "./OpenActionStatus.ts"

/** An approval that a person has not decided yet, as plain JSON. */
export interface PendingApproval {
  readonly run: string
  readonly review: string
  readonly tool: string
  readonly params: Json
  readonly needs: ReadonlyArray<string>
  readonly why: string
  readonly tick: number
  /** Arguments that differ from those that a person approved earlier for the same tool. */
  readonly changed: ReadonlyArray<ApprovedArguments.Difference>
  /** The reason why an earlier approval no longer counts; `null` if there was none. */
  readonly before: string | null
  /** ISO time since which the approval waits. */
  readonly since: string
  /** The action that was started in an emergency and waits to be accepted; `null` if nothing has begun. */
  readonly after: string | null
  readonly approve: Next
  readonly deny: Next
  /** The step that starts the call in an emergency without an approval, if that is allowed. */
  readonly breakGlass: Next | null
}

/** Lists the pending approvals of a tenant, ordered by run and by time of request. */
export const ofTenant = Effect.fn("PendingApprovals.ofTenant")(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const words = yield* Lexicon.Lexicon
  const found: Array<PendingApproval> = []
  for (const { head, parent, run } of yield* store.runs(tenant)) {
    const { state } = yield* history.at(run, head.tick)
    const pack = yield* library.folding(() => library.packAt(state, head.tick + 1))
    for (const [review, { after, needs, tick, tool }] of Reviews.pending(state)) {
      // An approval is bound to its run: a request by the parent of a fork waits in the parent.
      if (tick <= (parent?.tick ?? 0)) continue
      const [decided, asked] = yield* history.transitions(run, { from: tick - 1, to: tick })
      const { params = null, why } = (asked && ApprovedArguments.askingOf(asked.body)) ?? {}
      found.push({
        run: run.id,
        review,
        tool,
        params,
        needs,
        why: Wording.tell(why, words),
        tick,
        changed: asked === undefined ? [] : yield* ApprovedArguments.differ(run, { before: state, transition: asked }),
        before: decided === undefined ? null : ApprovedArguments.lapsed(decided.body, words),
        since: asked === undefined || asked.envelope.ts === 0 ? "" : new Date(asked.envelope.ts).toISOString(),
        after: after ?? null,
        approve: OpenActionStatus.decide(run, { review, needs }),
        deny: OpenActionStatus.decide(run, { review, needs }, "denied"),
        breakGlass:
          after === undefined && pack !== undefined && BreakGlass.isReviewed(TaskPack.tool(pack, tool))
            ? { breakGlass: review, run: run.id, verb: "resume" }
            : null
      })
    }
  }
  return found
})

/**
 * The action for which an approval was used, if its effect may stand: another decision of the review would change
 * nothing.
 */
export const usedBy = Effect.fn("PendingApprovals.usedBy")(function* (run: Run, review: string, state: State) {
  const asked = Reviews.of(state).get(review)
  if (asked?.verdict === undefined) return undefined
  const history = yield* History.History
  const histories = ActionHistories.all(yield* history.transitions(run))
  const used = [...histories.values()].findLast(
    (each) =>
      each.approval?.id === review &&
      each.proposed.tick > asked.tick &&
      each.state !== "failed" &&
      ActionHistory.isMutating(each) &&
      ActionHistory.isExecuted(each)
  )
  return used?.id
})
