/** What waits for a person in the runs of a tenant: approvals that nobody has decided, and what is held. */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BreakGlass from "@backstitch/kernel/BreakGlass"
import * as Resolution from "@backstitch/kernel/Resolution"
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
import * as ApprovedArguments from "../approvals/ApprovedArguments.ts"
import * as Settling from "../approvals/Settling.ts"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Report from "./Report.ts"

/** An approval that is waited for. It is JSON as it stands. */
export interface Waiting {
  readonly run: string
  readonly review: string
  readonly tool: string
  readonly params: Json
  readonly needs: ReadonlyArray<string>
  readonly why: string
  readonly tick: number
  /** What differs from the arguments that a person approved of the same tool before. */
  readonly changed: ReadonlyArray<ApprovedArguments.Difference>
  /** ISO time since which it waits. */
  readonly since: string
  /** The action that was started in an emergency, and waits to be accepted; `null` where nothing has begun. */
  readonly after: string | null
  readonly approve: Next
  readonly deny: Next
  /** What goes on in an emergency without an approval, where that is allowed. */
  readonly breakGlass: Next | null
}

/** Lists what waits, in order of run and of asking. */
export const approvals = Effect.fn("Inbox.approvals")(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const found: Array<Waiting> = []
  for (const { head, parent, run } of yield* store.runs(tenant)) {
    const { state } = yield* history.at(run, head.tick)
    const pack = yield* library.folding(() => library.packAt(state, head.tick + 1))
    for (const [review, { after, needs, tick, tool }] of Reviews.pending(state)) {
      // An approval is bound to its run: what the parent of a fork asked for, the parent waits for.
      if (tick <= (parent?.tick ?? 0)) continue
      const [asked] = yield* history.transitions(run, { from: tick, to: tick })
      const { params = null, why } = (asked && ApprovedArguments.askingOf(asked.body)) ?? {}
      found.push({
        run: run.id,
        review,
        tool,
        params,
        needs,
        why: Wording.tell(why),
        tick,
        changed: asked === undefined ? [] : yield* ApprovedArguments.differ(run, { before: state, transition: asked }),
        since: asked === undefined || asked.envelope.ts === 0 ? "" : new Date(asked.envelope.ts).toISOString(),
        after: after ?? null,
        approve: Settling.decide(run, { review, needs }),
        deny: Settling.decide(run, { review, needs }, "denied"),
        breakGlass:
          after === undefined && pack !== undefined && BreakGlass.isReviewed(TaskPack.tool(pack, tool))
            ? { breakGlass: review, run: run.id, verb: "resume" }
            : null
      })
    }
  }
  return found
})

/** What is held in a run, and why. It is JSON as it stands. */
export interface HeldIn extends Report.Held {
  readonly run: string
  /** It is settled, and a person is asked to look at it all the same. */
  readonly settled: boolean
}

/**
 * Lists what is held in one run, or in all runs of a tenant, and why: what is open, what could not be undone, and what
 * is settled and has to be looked at.
 */
export const held = Effect.fn("Inbox.held")(function* (tenant: Tenant, only?: Run) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const runs = only === undefined ? (yield* store.runs(tenant)).map(({ run }) => run) : [only]
  const found: Array<HeldIn> = []
  for (const run of runs) {
    const at = yield* Settling.head(run)
    // Most runs hold nothing: their traces are not read.
    if (Resolution.pending(at.state).length + Reviews.standing(at.state).length === 0) continue
    const transitions = yield* history.transitions(run)
    const report = yield* library.folding(() => Report.make(at, transitions))
    found.push(...report.held.map((each) => ({ ...each, run: run.id, settled: false })))
    found.push(...report.reviews.map((each) => ({ ...each, run: run.id, settled: true })))
  }
  return found
})

/**
 * The action that an approval was used for, if its effect may stand: to decide the review again would change nothing.
 */
export const usedBy = Effect.fn("Inbox.usedBy")(function* (run: Run, review: string, state: State) {
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
