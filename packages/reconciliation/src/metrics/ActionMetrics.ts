/**
 * Nineteen measures of how true a system's beliefs are, each a numerator over a denominator, projected from traces.
 *
 * They are counts, so that runs can be added up before the division. A measure without cases has no value; it is not
 * zero. Actions that only read are not counted, but a false claim of an answer to a read is a false success.
 *
 * A part of a trace can be measured: a period, or the own part of a fork. The part says what is counted. The histories
 * are of the whole trace, because a message may report an action from before the part.
 *
 * @source Action Verification, "Platform Metrics"
 */

import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as Payload from "@backstitch/ledger/Payload"
import * as Trust from "@backstitch/ledger/Trust"
import type { Transition } from "@backstitch/trace/Transition"
import * as MessageReport from "../reporting/MessageReport.ts"
import * as ReconciliationStatus from "../reporting/ReconciliationStatus.ts"

/** A unit of a measure. */
export type Unit = "ratio" | "millis"

/** The nineteen measures with their units, in the order of Action Verification. */
export const units = {
  verification_success: "ratio",
  verification_failure: "ratio",
  verification_latency: "millis",
  time_to_reconcile: "millis",
  read_after_write_failure: "ratio",
  discrepancy: "ratio",
  stale_state: "ratio",
  partial_failure: "ratio",
  pending_too_long: "ratio",
  unknown_state: "ratio",
  duplicate_action: "ratio",
  idempotency_recovery: "ratio",
  compensation: "ratio",
  compensation_success: "ratio",
  failed_compensation: "ratio",
  false_success_escape: "ratio",
  human_escalation: "ratio",
  ledger_completeness: "ratio",
  verifier_regression: "ratio"
} as const satisfies Readonly<Record<string, Unit>>

/** Name of a measure. */
export type Metric = keyof typeof units

/** The names, in the order of Action Verification. */
export const names = Object.keys(units) as ReadonlyArray<Metric>

/** A count over a count. */
export interface Measure {
  readonly numerator: number
  readonly denominator: number
}

/** All nineteen. */
export type Measures = { readonly [Name in Metric]: Measure }

/**
 * The facts for measuring beside a trace: the ledger's context, the present time, and the longest time that an action
 * may be pending.
 */
export interface Options {
  readonly ledger: ActionLedgerEntry.Context
  readonly now: number
  readonly pendingMillisMax: number
  readonly baseline?: Measures
}

/** The value of a measure; `undefined` if there were no cases. */
export const value = (self: Measure): number | undefined =>
  self.denominator === 0 ? undefined : self.numerator / self.denominator

/** Finds the actions that these transitions propose, among the histories of the whole trace. */
export const proposedIn = (
  transitions: ReadonlyArray<Transition>,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<ActionHistory.ActionHistory> => {
  const ticks = new Set(transitions.map(({ tick }) => tick))
  return [...histories.values()].filter(({ proposed }) => ticks.has(proposed.tick))
}

/** Measures a trace, or a part of it, by the histories of the whole. */
export const measure = (
  transitions: ReadonlyArray<Transition>,
  histories: ActionHistories.ActionHistories,
  options: Options
): Measures => {
  const proposed = proposedIn(transitions, histories).filter(ActionHistory.isMutating)
  const begun = proposed.filter(ActionHistory.isBegun)
  const sent = begun.filter(ActionHistory.isExecuted)
  const read = sent.filter((history) => history.verified !== undefined)
  const pending = sent.filter((history) => reached(history, "accepted", "pending"))
  const compensations = sent.filter((history) => history.undoes !== undefined)
  const share = (of: Histories, holds: (history: ActionHistory.ActionHistory) => boolean): Measure => ({
    numerator: of.filter(holds).length,
    denominator: of.length
  })
  const is = (name: string) => (history: ActionHistory.ActionHistory) => history.discrepancy === name
  const failure = share(sent, (history) => reached(history, "reconciliation_failed") || differs(history))
  const { complete, required } = ActionLedgerEntry.completeness(
    proposed.map((history) => ActionLedgerEntry.fromHistory(history, options.ledger))
  )
  return {
    verification_success: share(sent, isProven),
    verification_failure: failure,
    verification_latency: times(read, (history) => [history.observed?.at, history.verified?.at]),
    time_to_reconcile: times(sent, (history) => [history.started?.at, history.reconciled?.at]),
    read_after_write_failure: unconfirmed(transitions, sent),
    discrepancy: share(read, (history) => history.discrepancy !== undefined || differs(history)),
    stale_state: share(begun, is("stale_state")),
    partial_failure: share(sent, (history) => reached(history, "partially_committed")),
    pending_too_long: share(pending, (history) => waited(history, options.now) > options.pendingMillisMax),
    unknown_state: share(sent, (history) => reached(history, "unknown", "verification_timeout")),
    duplicate_action: share(proposed, is("duplicate_side_effect")),
    idempotency_recovery: repetitions(transitions, sent),
    compensation: { numerator: compensations.length, denominator: proposed.length },
    compensation_success: share(compensations, (history) => history.state === "reconciled_success"),
    failed_compensation: share(compensations, ({ state }) => EffectStatus.isFailing(state)),
    false_success_escape: escapes(transitions, histories),
    human_escalation: escalated(transitions, sent),
    ledger_completeness: { numerator: complete, denominator: required },
    verifier_regression: rise(failure, options.baseline?.verification_failure)
  }
}

/** Adds up the measures of several runs. A regression is not a sum: it is measured again against the baseline. */
export const sum = (all: ReadonlyArray<Measures>, baseline?: Measures): Measures => {
  const added = Object.fromEntries(
    names.map((name) => [
      name,
      all.reduce<Measure>(
        (total, { [name]: one }) => ({
          numerator: total.numerator + one.numerator,
          denominator: total.denominator + one.denominator
        }),
        { numerator: 0, denominator: 0 }
      )
    ])
  ) as Measures
  return { ...added, verifier_regression: rise(added.verification_failure, baseline?.verification_failure) }
}

/**
 * Lists the claims of success that were false, by the tick of the message: the action was none at that time.
 *
 * **Details**
 *
 * A message lists its claims in `data.reports` (see `MessageReport`). A message that the kernel refused is not sent.
 * Listed are claims that were marked or only observed, and successes that were reversed before they were reported. The
 * histories are of the whole trace: an action that they lack is taken for one that never was.
 */
export const falseSuccesses = (
  transitions: ReadonlyArray<Transition>,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<ClaimOfSuccess> =>
  successesIn(transitions).filter(({ action, tick }) => {
    const history = histories.get(action)
    return history === undefined || !isTrue(history, histories, tick)
  })

/** A success that a message reports: the tick of the message, and the action. */
export interface ClaimOfSuccess {
  readonly tick: number
  readonly action: string
}

type Histories = ReadonlyArray<ActionHistory.ActionHistory>

const successesIn = (transitions: ReadonlyArray<Transition>): ReadonlyArray<ClaimOfSuccess> =>
  transitions.flatMap(({ body, tick }) => {
    const told = Payload.of(body, "message.sent") ?? Payload.of(body, "goal.complete")
    return (MessageReport.claims(told ?? {}) ?? []).flatMap(({ action, standing }) =>
      standing === "success" ? [{ tick, action }] : []
    )
  })

/** Counts claims over claims: one action may be reported more than once, or have been sent before the part. */
const escapes = (transitions: ReadonlyArray<Transition>, histories: ActionHistories.ActionHistories): Measure => ({
  numerator: falseSuccesses(transitions, histories).length,
  denominator: successesIn(transitions).length
})

const reached = (history: ActionHistory.ActionHistory, ...states: ReadonlyArray<ActionState.State>): boolean =>
  states.some((state) => ActionHistory.visited(history, state))

const isProven = (history: ActionHistory.ActionHistory): boolean =>
  history.state === "reconciled_success" && settledTrust(history) >= Trust.believable

/** Answers the trust with which an action was settled, whatever a later reversal put in doubt. */
const settledTrust = ({ reconciled, trust }: ActionHistory.ActionHistory): number => reconciled?.outcome.trust ?? trust

const differs = (history: ActionHistory.ActionHistory): boolean =>
  history.verified !== undefined && history.verified.outcome.status === "mismatch"

/**
 * Tells whether a message was right to report an action as done at a tick: a read was answered by then, any other
 * action was a success.
 */
const isTrue = (
  history: ActionHistory.ActionHistory,
  histories: ActionHistories.ActionHistories,
  tick: number
): boolean =>
  MessageReport.isAnsweredRead(history) ? (history.observed?.tick ?? tick) < tick : wasSuccess(history, histories, tick)

/** Tells whether an action was a success at a tick: it had been reached with trust, and no reversal had begun. */
const wasSuccess = (
  history: ActionHistory.ActionHistory,
  histories: ActionHistories.ActionHistories,
  tick: number
): boolean => {
  const since = history.visited.find((visit) => visit.state === "reconciled_success")?.tick
  if (since === undefined || since > tick) return false
  const undoing = history.undoneBy === undefined ? undefined : histories.get(history.undoneBy)
  const isAbsent = [history.absent, history.undoneBefore].some((moment) => moment !== undefined && moment.tick <= tick)
  const stood = !isAbsent && (undoing === undefined || undoing.proposed.tick > tick)
  return stood && ReconciliationStatus.of({ ...history, trust: settledTrust(history), undo: "standing" }) === "success"
}

const times = (
  of: Histories,
  ends: (history: ActionHistory.ActionHistory) => readonly [number | undefined, number | undefined]
): Measure => {
  const spans = of.flatMap((history) => {
    const [from, to] = ends(history)
    // A later answer replaces the proof of the earlier one, and is not proven yet.
    return from === undefined || to === undefined || to < from ? [] : [to - from]
  })
  return { numerator: spans.reduce((total, span) => total + span, 0), denominator: spans.length }
}

/** Counts actions that a read after their answer did not confirm. A read before the sending does not count. */
const unconfirmed = (transitions: ReadonlyArray<Transition>, sent: Histories): Measure => {
  const answered = new Set<string>()
  const failed = new Set<string>()
  for (const { body } of transitions) {
    const id = body.action?.id
    if (id === undefined) continue
    if (body.type === "action.result") answered.add(id)
    const isReadback = body.type === "action.verified" && Payload.of(body, "action.verified")?.before === undefined
    if (isReadback && answered.has(id) && body.result?.status !== "ok") failed.add(id)
  }
  return { numerator: sent.filter((history) => failed.has(history.id)).length, denominator: sent.length }
}

/**
 * Tells whether a person was asked: before it was sent, because the glass was broken for it, because of its
 * obligations, or while it was held.
 */
const escalated = (transitions: ReadonlyArray<Transition>, sent: Histories): Measure => {
  const after = new Set(
    transitions.flatMap(({ body }) => Payload.of(body, "review.requested")?.after ?? pivotOf(body) ?? [])
  )
  const asked = sent.filter(
    (history) =>
      (history.approval?.id ?? history.review ?? null) !== null ||
      after.has(history.id) ||
      reached(history, "review_required")
  )
  return { numerator: asked.length, denominator: sent.length }
}

/** The pivot with an obligation about which a person is asked, although none of its steps has begun. */
const pivotOf = (body: Transition["body"]): string | undefined =>
  body.action === undefined ? Payload.of(body, "review.requested")?.obligation?.split("/")[0] : undefined

/** Measures the longest time for which an action was pending: until it left that state, or until now. */
const waited = ({ visited }: ActionHistory.ActionHistory, now: number): number => {
  let longest = 0
  let since: number | undefined
  for (const { at, state } of visited) {
    const isPending = state === "accepted" || state === "pending"
    if (since !== undefined && !isPending) longest = Math.max(longest, at - since)
    since = isPending ? (since ?? at) : undefined
  }
  return since === undefined ? longest : Math.max(longest, now - since)
}

/** Intents that one transition answers from the record, or that take over an act of another run. */
const adoptedIn = (body: Transition["body"]): number => {
  if (body.type === "intent.adopted") return Payload.of(body, "intent.adopted")?.count ?? 1
  return Payload.of(body, "action.request")?.adopted === undefined ? 0 : 1
}

const repetitions = (transitions: ReadonlyArray<Transition>, sent: Histories): Measure => {
  const adopted = transitions.reduce((sum, { body }) => sum + adoptedIn(body), 0)
  const again = (of: Histories) => of.reduce((total, { attempts }) => total + Math.max(0, attempts - 1), 0)
  const settled = sent.filter(
    (history) => history.reconciled !== undefined && history.discrepancy !== "duplicate_side_effect"
  )
  return { numerator: again(settled) + adopted, denominator: again(sent) + adopted }
}

const rise = (now: Measure, before: Measure | undefined): Measure => {
  const [after, base] = [value(now), before === undefined ? undefined : value(before)]
  return after === undefined || base === undefined
    ? { numerator: 0, denominator: 0 }
    : { numerator: Math.max(0, after - base), denominator: 1 }
}
