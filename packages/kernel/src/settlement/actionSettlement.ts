/**
 * The settlement of an action as a success or a failure: its basis and trust, and what follows for the subtask that it
 * belongs to.
 *
 * An answer is read back if the contract says how. Otherwise it is the tool's word, which settles actions of lower
 * classes. The word of a high-risk or critical tool settles an action only if a person has accepted it by contract.
 * Otherwise the status of the key is asked for, a delivery is awaited, or the action is held for a person.
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { Json } from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Outcome } from "@backstitch/trace/Transition"
import { type ActionInFlight, after, readRequestOf, requestOf, targetOf } from "../action/ActionInFlight.ts"
import * as Compensation from "../action/Compensation.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import { commit, end, go } from "../decision/Decision.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Enforcement from "../state/Enforcement.ts"
import * as Undo from "../undo/Undo.ts"

type Basis = NonNullable<Outcome["basis"]>

/** A settlement that no record confirms is trusted like the answer that it is based on. */
const trustIn = (basis: Basis): Trust.Trust => Trust.of(basis === "status" ? "record" : "word")

/** Settles an action as a success: by its verified record, or by evidence that its contract lets count. */
export const settle = (
  subject: ActionInFlight,
  about: {
    readonly basis: Basis
    readonly output: Json
    readonly before?: CommitContent.CommitContent
    readonly trust?: Trust.Trust
    /** The person who accepts the tool's word if nothing can be checked, and their reason. */
    readonly word?: ToolContract.AcceptsWord | undefined
  }
): Decision => {
  const { id, open, terms } = subject
  const { before = CommitContent.nothing } = about
  const word = about.word === undefined ? undefined : { by: about.word.by, why: about.word.why }
  const trust = about.basis === "readback" ? (about.trust ?? Trust.of("confirmed")) : trustIn(about.basis)
  const settled = settledData(subject, about.output)
  const data = word === undefined ? settled : { ...settled, word }
  const reconciled: CommitContent.Said<"action.reconciled"> = {
    action: { id, ...targetOf(subject) },
    ...(data === undefined ? {} : { data }),
    result: { basis: about.basis, status: "ok", trust }
  }
  const tick = terms.tick + CommitContent.size(before)
  const content = { ...before, reconciled }
  return open.undoes === undefined
    ? end({ _tag: "Done", tick, output: about.output, basis: about.basis }, content)
    : commit(content, { _tag: "Compensate" })
}

/**
 * Lists the data of a settlement beside its outcome: the call that would undo it and until when, the fee of a
 * reversal, and whether the effect was never believed, so that no belief changes.
 */
const settledData = (subject: ActionInFlight, actual: Json): Payload.Of<"action.reconciled"> | undefined => {
  const { state, terms } = subject
  const { undoes } = subject.open
  if (undoes !== undefined) {
    const kept = Compensation.kept(subject, actual)
    const masked = OpenActions.of(state)[undoes] === undefined ? {} : { unbelieved: true as const }
    const data = { ...(kept === undefined ? {} : { kept }), ...masked }
    return Object.keys(data).length === 0 ? undefined : data
  }
  if (subject.contract.undo.by === undefined) return undefined
  const undo = Compensation.resolved(subject, actual)
  const { withinMillis } = subject.contract.undo
  const isRecorded = (PackInForce.of(state).ontology ?? Ontology.first) > Ontology.first
  return { undo: withinMillis === undefined || !isRecorded ? undo : { ...undo, endsAt: terms.now + withinMillis } }
}

/** Settles an action as failed, and says what follows from its failure. */
export const failed = (
  subject: ActionInFlight,
  about: {
    readonly error: Json
    readonly basis: Basis
    readonly before?: CommitContent.CommitContent
    /** The state of the settlement, if it is not a plain failure. */
    readonly as?: "rolled_back"
  }
): Decision => {
  const { contract, id, open, terms } = subject
  const { before = CommitContent.nothing } = about
  const trust = about.as === undefined ? trustIn(about.basis) : Trust.of("confirmed")
  const reconciled: CommitContent.Said<"action.reconciled"> = {
    action: { id, ...targetOf(subject) },
    ...(about.as === undefined ? {} : { data: { state: about.as } }),
    result: { basis: about.basis, output: about.error, status: "error", trust }
  }
  const content = { ...before, reconciled }
  if (open.undoes !== undefined) return commit(content, { _tag: "Compensate" })
  const aborts = Undo.ofFailure(
    subject,
    Finding.make("cause.failed", { action: id, error: about.error, tool: contract.name })
  )
  const followed = aborts === undefined ? content : { ...content, follows: aborts.follows }
  return aborts?.undoes === true
    ? Undo.begun(aborts.turns, followed)
    : end({ _tag: "Failed", tick: terms.tick + CommitContent.size(before), error: about.error }, followed)
}

/** Proves an answer: reads it back if the contract says how; otherwise it stays the tool's word. */
export const prove = (
  subject: ActionInFlight,
  before = CommitContent.nothing,
  basis: "attested" | "status" = "attested"
): Decision => {
  const { contract, open } = subject
  if (contract.readback !== undefined) {
    return go({ _tag: "ReadBack", request: readRequestOf(subject) }, before)
  }
  const about = { basis, output: open.answer?.output ?? null, before }
  return basis === "attested" && isDoubted(subject) ? doubted(subject, about) : settle(subject, about)
}

/**
 * Tells whether a tool's word alone is not believed: its class is high-risk or critical, and the run enforces its
 * contracts.
 */
const isDoubted = ({ contract, state }: ActionInFlight): boolean =>
  ToolContract.isGrave(contract) && !Enforcement.isObserved(state, [contract.name, "action.request"])

/**
 * Decides an answer of such a class that cannot be read back: a person accepts it in advance by contract, the status
 * of the key is asked for, a delivery is awaited, or a person looks (row 16 of Action Verification).
 */
const doubted = (subject: ActionInFlight, about: Parameters<typeof settle>[1]): Decision => {
  const { contract, id, open, terms } = subject
  const { before = CommitContent.nothing } = about
  if (contract.acceptsWord !== undefined) {
    return settle(subject, { ...about, word: contract.acceptsWord })
  }
  if (contract.status === "by_key" && open.key !== undefined) {
    return go({ _tag: "Ask", request: requestOf(subject) }, before)
  }
  const word = { class: contract.class, tool: contract.name, ...targetOf(subject) }
  const added = CommitContent.size(before)
  const tick = terms.tick + added
  if (contract.webhook !== undefined) {
    const why = Finding.make("outcome.word_alone", word)
    return end({ _tag: "Held", tick: DecisionTerms.standsAt(terms, added), action: id, why }, before)
  }
  const recovery = Recovery.unverifiable(subject, Finding.make("record.no_way", {}))
  const decided = Recovery.toContent(after(subject, added), recovery, Recovery.toData(recovery))
  const why = Finding.make("outcome.word_alone", { ...word, ...Recovery.toArgs(recovery) })
  return end({ _tag: "Held", tick, action: id, why }, { ...before, recovery: decided })
}

/** Tells whether the recovery table lets the run continue without a proof, on the tool's answer alone (its row 15). */
export const isReportable = ({ open }: ActionInFlight, action: RecoveryAction.RecoveryAction): boolean =>
  action === "report_unverified" && OpenAction.isAnswered(open) && !OpenAction.isAccepted(open)

/** Settles an action that could not be verified on the tool's word, at trust 1. */
export const unverified = (subject: ActionInFlight, before: CommitContent.CommitContent): Decision =>
  settle(subject, {
    basis: "attested",
    output: subject.open.answer?.output ?? null,
    before
  })

/**
 * Makes the undo plan that the recovery table asks for, or lists what blocks it. An act of another run is not undone.
 */
export const undoingOf = (
  subject: ActionInFlight,
  about: { readonly recovery: Recovery.Recovery; readonly actual: Json; readonly unmet: ReadonlyArray<Finding.Finding> }
): Undo.UndoAdmission =>
  subject.open.adopted !== true && RecoveryAction.definition(about.recovery.decision.action).sends === "reversal"
    ? Undo.ofRecovery(subject, {
        actual: about.actual,
        because: Finding.make("cause.unmet", { action: subject.id, tool: subject.contract.name, unmet: about.unmet })
      })
    : {}
