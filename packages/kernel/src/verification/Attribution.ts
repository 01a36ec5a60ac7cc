/**
 * The attribution of an effect that a record shows to the action that would have made it (L10).
 *
 * A tool names in its answer the record of its effect. If that record belongs to another act, of this run or another,
 * undoing it takes back an effect on which others rely. So before the first sending of a reversal its owner is
 * established:
 *
 * | the record, the contract or the run | the effect is |
 * | --- | --- |
 * | shows the key of the call, or was named by the status of that key | its own |
 * | is asked about under the key, which is known and names no other record | its own |
 * | the same, but the key is unknown, was refused, or names another record | another's: held |
 * | is reported as under way | its own |
 * | was not there before the call, or changed since | its own |
 * | cannot be asked, and the same call would also undo another act of the run | another's: held |
 * | cannot be asked, and meets all expectations of a success | its own, as far as can be known |
 * | cannot be asked, and does not meet them | another's: held |
 *
 * The key shows the owner, but not whether the effect stands. Once the owner is known, the record is read again, as
 * the last step.
 *
 * @source laws L5, L10; docs/decisions/0016
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import * as Compensation from "../action/Compensation.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import type * as Decision from "../decision/Decision.ts"
import type { Looked } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Confirmation from "./Confirmation.ts"
import { digestOf } from "./classification.ts"
import * as Presence from "./Presence.ts"

/** The owner of the effect. If it is `unasked`, it is asked about under the key of the call. */
export type Attribution = "own" | "foreign" | "unasked"

/** The status question about an action that is to be undone. */
export const question = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  action: string
): Decision.Original | undefined => {
  const original = Presence.question(terms, state, action)
  if (original === undefined) return undefined
  const { deadlineMillis } = original
  return { action, deadlineMillis, via: "status" }
}

/** Tells whether an answer came from the status question, for an action whose record is otherwise read back. */
export const isAsked = (terms: DecisionTerms.DecisionTerms, state: State, { action, via }: Looked): boolean =>
  via === "status" && Presence.question(terms, state, action)?.via === "readback"

/** Judges the status of the key: a known key has its record; any other answer proves nothing. */
export const presence = ({ evidence }: Looked): Presence.Presence => {
  switch (evidence._tag) {
    case "Ok":
    case "Accepted":
    case "Pending":
      return { _tag: "Present" }
    case "NotFound":
    case "Error":
      return { _tag: "Unread", why: Finding.make("reversal.not_own", {}) }
    case "Unknown":
      return { _tag: "Unread", why: evidence.reason }
  }
}

/** Judges whose effect a step of a plan would undo. */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { looked, step }: { readonly looked: Looked; readonly step: UndoPlan.ReversalStep }
): Attribution => {
  const { evidence, via } = looked
  // The status of the key names the record of its effect, and counts as the answer of the call.
  const named = via === "status" && evidence._tag === "Ok" ? { ...looked, observed: evidence.output } : looked
  const subject = Presence.subjectOf(terms, state, named)
  if (subject === undefined) return "unasked"
  if (via === "status") {
    switch (evidence._tag) {
      case "Ok":
        return namesAnother(subject, { output: evidence.output, step }) ? "foreign" : "own"
      case "NotFound":
      case "Error":
        return "foreign"
      case "Unknown":
        return "unasked"
      default:
        return "own"
    }
  }
  // A call that is under way at its provider shows no record yet.
  if (evidence._tag !== "Ok") return "own"
  const record = evidence.output
  if (looked.isAsked === true || looked.isOwn === true || Confirmation.bears(record, looked.key)) return "own"
  if (canBeAsked(subject, looked)) return "unasked"
  const isForeign = OpenActions.of(state)[looked.action] === undefined ? isShared(state, step) : !isOwn(subject, record)
  return isForeign ? "foreign" : "own"
}

/**
 * Tells whether another call would undo the record of the key: then the tool's answer named a record that is not its
 * effect.
 */
const namesAnother = (
  subject: ActionInFlight,
  { output, step }: { readonly output: Json; readonly step: UndoPlan.ReversalStep }
): boolean => {
  const { with: params } = Compensation.resolved(subject, output)
  return params !== undefined && !Canonical.equals(params, step.params)
}

/** Tells whether the key can be asked about. If the system has forgotten the key, its answer proves nothing. */
const canBeAsked = ({ contract, terms }: ActionInFlight, { firstAt, key }: Looked): boolean =>
  contract.status === "by_key" && key !== undefined && !SendingAgain.isForgotten(contract, { at: terms.now, firstAt })

/** Tells whether the same call would undo another act of the run that stands. */
const isShared = (state: State, { params, tool, undoes }: UndoPlan.ReversalStep): boolean =>
  SettledActions.inOrder(state).some(
    ([action, { by, undo, with: registered }]) =>
      action !== undoes && undo === "standing" && by === tool && Canonical.equals(registered ?? null, params)
  )

/**
 * Tells whether a record can show its owner: it is read strongly, and either the record before the call is known or
 * the record may show the key.
 */
export const canTell = ({ contract, open }: ActionInFlight): boolean => {
  const { readback } = contract
  if (readback === undefined || ToolContract.isLocal(contract)) return false
  const isCertain = readback.consistency !== "eventual" || readback.strong !== undefined
  return isCertain && (open.key !== undefined || typeof open.before?.found === "boolean")
}

/** Tells whether a record is the call's own: it shows the key, or differs from the record before the call. */
export const isOwn = ({ open }: ActionInFlight, record: Json): boolean => {
  const { found, met, record: before } = open.before ?? {}
  const isNew = found === false || (found === true && met === false && before !== digestOf(record))
  return isNew || Confirmation.bears(record, open.key)
}
