/**
 * A record that is read after its action was settled. It is compared with the settlement.
 *
 * Two processes may read back one action, and one of them settles it first. The record of the other is judged in the
 * state in which the action was settled, against the same expectations. It changes nothing that was committed. If it
 * contradicts the settlement, it is an anomaly, and a person looks at it.
 *
 * | settled as | the record | is |
 * | --- | --- | --- |
 * | a success that stands | asked for after the settlement, does not meet the contract | an anomaly, and a review |
 * | a failure, or rolled back | meets the contract, and no other action had the target | an anomaly, and a review |
 * | either | shows nothing, or was there before | nothing |
 *
 * @source docs/decisions/0007: an answer describes the moment at which it was asked for
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type { State } from "@backstitch/reducer/State"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import { type ActionInFlight, findAction } from "../action/ActionInFlight.ts"
import { window } from "../action/verificationWindow.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Evidence, SourceEvidence } from "../decision/Evidence.ts"
import { contradicted } from "../decision/InvalidMove.ts"
import * as Finding from "../payload/Finding.ts"
import * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as Reviews from "../review/Reviews.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { contradiction, unmetOf } from "./readbackMismatch.ts"

/** A read, and epoch milliseconds at which it was asked for. */
interface Read {
  readonly evidence: Evidence
  readonly others?: ReadonlyArray<SourceEvidence> | undefined
  readonly askedAt?: number | undefined
}

/**
 * A settled action in its run: its history, the state in which it was settled, and the transitions since its request.
 */
export interface SettledAction {
  readonly history: ActionHistory.ActionHistory
  readonly before: State
  readonly transitions: ReadonlyArray<Transition>
}

/** Judges a late record: an anomaly and a review if it contradicts the settlement. */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  settled: SettledAction,
  read: Read
): ReadonlyArray<Draft> => {
  const { before, history } = settled
  const subject = findAction(terms, before, history.id)
  if (history.reconciled === undefined || subject === undefined) return []
  if (!ToolContract.isMutating(subject.contract) || subject.contract.readback === undefined) return []
  const { evidence } = read
  const { now } = terms
  const confirmation = Confirmation.judge(subject, read)
  const { tick } = history.reconciled
  switch (history.state) {
    case "reconciled_success": {
      if (history.undo !== "standing" || isShared(settled, tick)) return []
      const unmet = unmetAfter(settled, subject, { confirmation, read })
      if (unmet === undefined) return []
      const drafts = [contradicted(history, { evidence, now, to: "reconciliation_failed", unmet, via: "readback" })]
      const why = Finding.make("verification.contradicted", {})
      return [...drafts, ...looked(terms, state, history, { after: drafts.length, why })]
    }
    case "failed":
    case "rolled_back":
      return confirmation.isConfirmed && !isShared(settled, 0) ? happened(terms, state, settled, read) : []
    default:
      return []
  }
}

/** Records that a failure happened after all, and asks a person to look. Until then, no run begins the act again. */
const happened = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { history, transitions }: SettledAction,
  read: Read
): ReadonlyArray<Draft> => {
  const { now } = terms
  const drafts = [contradicted(history, { evidence: read.evidence, now, to: "committed", via: "readback" })]
  if (!DecisionRules.binds(state, DecisionRules.failuresInDispute)) return drafts
  const args = { person: isByPerson(transitions, history.id), said: "done", settled: history.state } as const
  const why = Finding.make("verification.disputed", args)
  return [...drafts, ...looked(terms, state, history, { after: drafts.length, why })]
}

/** Tells whether a person has decided about an action. */
export const isByPerson = (transitions: ReadonlyArray<Transition>, action: string): boolean =>
  transitions.some(({ body }) => body.action?.id === action && Payload.of(body, "review.decided")?.as !== undefined)

/**
 * Lists the expectations of a success that a record does not meet, if it was asked for after the settlement, when
 * nothing could be under way any more.
 */
const unmetAfter = (
  { history }: SettledAction,
  subject: ActionInFlight,
  shown: { readonly confirmation: Confirmation.Confirmation; readonly read: Read }
): ReadonlyArray<Finding.Finding> | undefined => {
  const { confirmation, read } = shown
  const { askedAt } = read
  if (confirmation.isConfirmed || contradiction(confirmation).status !== "mismatch") return undefined
  const { until } = window(subject, read.evidence)
  if (askedAt === undefined || askedAt < until || askedAt < (history.reconciled?.at ?? 0)) return undefined
  const about = { doubt: confirmation.doubt, ...Confirmation.telling(confirmation), until }
  return unmetOf(confirmation, Recovery.ofReadback(subject, about))
}

/**
 * Tells whether another action has changed the target after a tick, so that the record need not show this action's
 * effect.
 */
const isShared = ({ history: { id, target }, transitions }: SettledAction, after: number): boolean =>
  transitions.some(
    ({ body: { action, type }, tick }) =>
      tick > after && type === "action.started" && action?.id !== id && action?.target === target
  )

/**
 * Asks a person to look at it, once. A review that disputes nothing does not stand for one that does: only the latter
 * keeps the act from being begun again.
 */
export const looked = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { id, tool }: ActionHistory.ActionHistory,
  { after, why }: { readonly after: number; readonly why: Finding.Finding }
): ReadonlyArray<Draft> => {
  const isBound = DecisionRules.binds(state, DecisionRules.failuresInDispute)
  const isAsked = Reviews.ofVerification(state).some(
    ([, { action, triggers, why: before }]) =>
      action === id && (isBound ? before !== undefined : triggers?.includes("mismatch") === true)
  )
  if (isAsked) return []
  const review = `v${terms.tick + after}-${id}`
  const data: Payload.Of<"review.requested"> = { review, subject: Reviews.subject, tool, triggers: ["mismatch"], why }
  return [DecisionTerms.draft(terms, { action: { id }, author: "kernel", data, type: "review.requested" })]
}
