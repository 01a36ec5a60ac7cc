/**
 * A record that is shown after its action was settled: evidence that is held against the settlement.
 *
 * Two processes may read back one action, and one of them settles it first. The record of the other is judged in the
 * state in which the action was settled, against the same expectations. It changes nothing that was committed. Where it
 * contradicts the settlement it is an anomaly, and where it contradicts a success a person looks at it.
 *
 * | settled as | the record | is |
 * | --- | --- | --- |
 * | a success that stands | does not meet the contract, asked after the settlement | an anomaly, and a review |
 * | a failure, or rolled back | meets the contract, and no other action had the target | an anomaly |
 * | either | says nothing, or was there before | nothing |
 *
 * @source docs/decisions/0007: an answer tells of the moment at which it was asked for
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type * as ActionState from "@backstitch/ledger/ActionState"
import type { State } from "@backstitch/reducer/State"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import type * as ActionInFlight from "../action/ActionInFlight.ts"
import { subjectOf } from "../action/ActionInFlight.ts"
import { window } from "../action/verificationWindow.ts"
import * as Reviews from "../approval/Reviews.ts"
import type { Evidence, SourceEvidence } from "../decision/Evidence.ts"
import { failureOf, wordOf } from "../decision/Evidence.ts"
import * as InvalidMove from "../decision/InvalidMove.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { contradiction, unmetOf } from "./readbackMismatch.ts"

/** A read, and the time at which it was asked for, in epoch milliseconds. */
interface Read {
  readonly evidence: Evidence
  readonly others?: ReadonlyArray<SourceEvidence> | undefined
  readonly askedAt?: number | undefined
}

/**
 * A settled action as its run tells it: its history, the state in which it was settled, and the run since its request.
 */
export interface Settled {
  readonly history: ActionHistory.ActionHistory
  readonly before: State
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * Judges a record that comes late: an anomaly where it contradicts the settlement, and a review where that is a
 * success.
 */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  settled: Settled,
  read: Read
): ReadonlyArray<Draft> => {
  const { before, history } = settled
  const subject = subjectOf(terms, before, history.id)
  if (history.reconciled === undefined || subject === undefined) return []
  if (!ToolContract.isMutating(subject.contract) || subject.contract.readback === undefined) return []
  const confirmation = Confirmation.judge(terms, before, subject, read)
  const { tick } = history.reconciled
  switch (history.state) {
    case "reconciled_success": {
      if (history.undo !== "standing" || isShared(settled, tick)) return []
      const unmet = unmetAfter(terms, settled, subject, { confirmation, read })
      if (unmet === undefined) return []
      const drafts = [anomaly(terms, history, { to: "reconciliation_failed", read, unmet })]
      const why = Finding.make("verification.contradicted", {})
      return [...drafts, ...looked(terms, state, history, { after: drafts.length, why })]
    }
    case "failed":
    case "rolled_back":
      return confirmation.isConfirmed && !isShared(settled, 0)
        ? [anomaly(terms, history, { to: "committed", read, unmet: [] })]
        : []
    default:
      return []
  }
}

/**
 * Lists the expectations of a success that a record does not meet which was asked for since, when nothing could still
 * be under way.
 */
const unmetAfter = (
  terms: DecisionTerms.DecisionTerms,
  { before, history }: Settled,
  subject: ActionInFlight.Subject,
  shown: { readonly confirmation: Confirmation.Confirmation; readonly read: Read }
): ReadonlyArray<Finding.Finding> | undefined => {
  const { confirmation, read } = shown
  const { askedAt } = read
  if (confirmation.isConfirmed || contradiction(confirmation).status !== "mismatch") return undefined
  const { until } = window(terms, subject, read.evidence)
  if (askedAt === undefined || askedAt < until || askedAt < (history.reconciled?.at ?? 0)) return undefined
  const about = { doubt: confirmation.doubt, ...Confirmation.telling(confirmation), until }
  return unmetOf(confirmation, Recovery.ofReadback(terms, before, subject, about))
}

/**
 * Tells whether somebody else has acted on the target after a tick, so that the record need not show this action's
 * effect.
 */
const isShared = ({ history: { id, target }, transitions }: Settled, after: number): boolean =>
  transitions.some(
    ({ body: { action, type }, tick }) =>
      tick > after && type === "action.started" && action?.id !== id && action?.target === target
  )

const anomaly = (
  terms: DecisionTerms.DecisionTerms,
  { id, state, tool }: ActionHistory.ActionHistory,
  about: { readonly to: ActionState.State; readonly read: Read; readonly unmet: ReadonlyArray<Finding.Finding> }
): Draft => {
  const { read, to, unmet } = about
  const { evidence } = read
  const said: NonNullable<Payload.Of<"kernel.anomaly">["evidence"]> = {
    output: failureOf(evidence),
    read: wordOf(evidence),
    ...(unmet.length === 0 ? {} : { unmet }),
    via: "readback"
  }
  const data: Payload.Of<"kernel.anomaly"> = { evidence: said, from: state, kind: InvalidMove.kind, to, tool }
  return DecisionTerms.draft(terms, { action: { id }, author: "kernel", data, type: "kernel.anomaly" })
}

/** Has a person look at it, once, as at any other mismatch of what is settled. */
export const looked = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { id, tool }: ActionHistory.ActionHistory,
  { after, why }: { readonly after: number; readonly why: Finding.Finding }
): ReadonlyArray<Draft> => {
  const isAsked = Reviews.standing(state).some(
    ([, { action, triggers }]) => action === id && triggers?.includes("mismatch") === true
  )
  if (isAsked) return []
  const review = `v${terms.tick + after}-${id}`
  const data: Payload.Of<"review.requested"> = { review, subject: Reviews.subject, tool, triggers: ["mismatch"], why }
  return [DecisionTerms.draft(terms, { action: { id }, author: "kernel", data, type: "review.requested" })]
}
