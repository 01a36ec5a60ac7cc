/**
 * Facts that the state machine of actions does not permit. They are refused, and recorded as `kernel.anomaly`.
 *
 * A committed transition cannot be removed. If it claims an illegal move, the action keeps its state, and the same
 * commit reports the claim. An answer that arrives after the settlement is not committed: if it contradicts the
 * settlement it is an anomaly, and if it agrees it is a repetition.
 *
 * | a fact | about an action that | is |
 * | --- | --- | --- |
 * | any | may make the claimed move | no anomaly |
 * | any | may not make it | an anomaly; the action keeps its state |
 * | any | was never requested | an anomaly |
 * | a late answer | is settled as the answer says | no anomaly |
 * | a late answer | is settled otherwise | an anomaly; the settlement stays |
 * | a late answer | was abandoned | no anomaly: its outcome was not known |
 *
 * @source Action Verification, "Technical System States and Transitions"; docs/decisions/0041
 */
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as FoldedActions from "@backstitch/ledger/FoldedActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as Anomalies from "@backstitch/reducer/Anomalies"
import type { State } from "@backstitch/reducer/State"
import { defined } from "@backstitch/trace/Defined"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import type { Finding } from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import type { Evidence } from "./Evidence.ts"
import { failureOf, wordOf } from "./Evidence.ts"

/** Kind of the anomaly where a move is not permitted. */
export const kind = "action.move" satisfies Anomalies.AnomalyKind

/** Kind of the anomaly where the action was never requested. */
export const unrequested = "action.unrequested" satisfies Anomalies.AnomalyKind

/**
 * Reports the moves that a transition claims and the table does not permit: one anomaly for each action, which keeps
 * its state.
 */
export const refused = (before: State, transition: Transition): ReadonlyArray<Draft> =>
  FoldedActions.refused(before, transition).map(({ action, refused: refusal }) => {
    const { envelope, stamp, tick } = transition
    const at = { asOf: stamp.asOf, ts: envelope.ts }
    if (refusal._tag === "NotRequested") return draft(action, { at: tick, kind: unrequested }, at)
    const { from, to } = refusal
    const { tool } = SettledActions.known(before, action) ?? {}
    // The anomaly names the transition that contains the evidence.
    return draft(action, { at: tick, from, kind, to, ...defined({ tool }) }, at)
  })

/** Reports an answer that contradicts the settlement of its action; `undefined` if it agrees, or says nothing. */
export const late = (
  history: ActionHistory.ActionHistory,
  about: { readonly evidence: Evidence; readonly via: Via; readonly now: number }
): Draft | undefined => {
  const { evidence, now, via } = about
  const from = history.state
  const to = claimedBy(evidence)
  if (history.reconciled === undefined || to === undefined || agrees(from, to)) return undefined
  if (Result.isSuccess(ActionState.advance(from, to))) return undefined
  return contradicted(history, { evidence, now, to, via })
}

/** Makes the anomaly of an answer that contradicts the state in which its action was settled. */
export const contradicted = (
  { id, state, tool }: ActionHistory.ActionHistory,
  about: {
    readonly evidence: Evidence
    readonly via: Via
    readonly now: number
    readonly to: ActionState.State
    readonly unmet?: ReadonlyArray<Finding>
  }
): Draft => {
  const { evidence, now, to, unmet = [], via } = about
  const lacks = unmet.length === 0 ? {} : { unmet }
  const said = { output: failureOf(evidence), read: wordOf(evidence), ...lacks, via }
  return draft(id, { evidence: said, from: state, kind, to, tool }, { asOf: now, ts: now })
}

type Anomaly = Payload.Of<"kernel.anomaly">

type Via = NonNullable<Anomaly["evidence"]>["via"]

const draft = (action: string, data: Anomaly, { asOf, ts }: { readonly asOf: number; readonly ts: number }): Draft => ({
  body: {
    action: { id: action },
    author: "kernel",
    data,
    type: "kernel.anomaly"
  },
  stamp: { asOf },
  envelope: { ts }
})

/** The state that an answer claims. Silence and "not found" claim none. */
const claimedBy = ({ _tag }: Evidence): ActionState.State | undefined => {
  switch (_tag) {
    case "Ok":
      return "committed"
    case "Accepted":
      return "accepted"
    case "Pending":
      return "pending"
    case "Error":
      return "failed"
    default:
      return undefined
  }
}

/** States in which the effect did happen, even if it was undone later. */
const done: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "reconciled_success",
  "compensating",
  "compensated",
  "compensation_failed"
])

/**
 * Tells whether an answer agrees with a settlement. "Accepted" and "pending" agree with an effect; neither agrees
 * with a failure or a rollback.
 */
const agrees = (from: ActionState.State, to: ActionState.State): boolean =>
  to === "failed" ? from === "failed" || from === "rolled_back" : done.has(from)
