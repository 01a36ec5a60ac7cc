/**
 * The recovery of a discrepancy: its one class, and the answer of the recovery table (L9).
 *
 * The kernel provides the facts: the read, the predicates of the pack, the record before the call, and the
 * conditions of contract and state. A missing fact is replaced by the cautious assumption: a record that was not read
 * before counts as changed, and a discrepancy is permitted only if the contract says so. This module begins no
 * reversal.
 *
 * @source Action Verification, "Discrepancy Classification Model" and "Recovery Decision Tables"
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Saga from "@backstitch/ledger/Saga"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as RecoveryFallback from "@backstitch/reconciliation/RecoveryFallback"
import * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type { Json } from "@backstitch/trace/Canonical"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import * as Compensation from "../action/Compensation.ts"
import * as SagaSteps from "../action/SagaSteps.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import { isExecuting, pendingTimeout, timeout } from "../action/verificationWindow.ts"
import type * as CommitContent from "../decision/CommitContent.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Evidence } from "../decision/Evidence.ts"
import { recordOf } from "../decision/Evidence.ts"
import type { Finding } from "../payload/Finding.ts"
import type { Recovery as RecoveryArgs } from "../payload/outcomeCodes.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import type { CheckedRead } from "../verification/checkedRead.ts"
import { classified, isReplayed, nothingKnown } from "../verification/classification.ts"

/** A discrepancy, and the verdict of the recovery table on it. */
export interface Recovery {
  readonly discrepancy: Discrepancy.Discrepancy
  readonly decision: RecoveryTable.ChosenRecovery
  /** The fallback of its class, and the fallbacks that were tried before. */
  readonly fallback?: RecoveryFallback.Chosen | undefined
}

/** Judges a readback that does not meet the contract. `until` is the moment up to which the effect may still arrive. */
export const ofReadback = (subject: ActionInFlight, read: CheckedRead & { readonly until: number }): Recovery => {
  const { doubt, evidence, until } = read
  const withinDelay = subject.terms.now < until
  const maybeStale = mayLag(subject, read)
  const found = classified(subject, read, { withinDelay, maybeStale }) ?? nothingKnown(evidence)
  const isAlone = !withinDelay && !isDown(evidence) && maybeStale && subject.contract.readback?.strong === undefined
  const discrepancy = isAlone ? { ...found, evidence: [...found.evidence, alone] } : found
  return decided(subject, discrepancy, {
    withinDelay,
    maybeStale,
    reversible: Compensation.isReversible(subject, recordOf(evidence)),
    // A record that was the same until the time was over will not change: another read shows nothing new.
    budgetLeft: withinDelay || (evidence._tag === "NotFound" && !maybeStale),
    permitted: discrepancy.class === "duplicate_side_effect" && isReplayed(subject, read),
    ...(doubt === undefined && !withinDelay ? timeout(subject, evidence) : {}),
    ...authorityOf(subject, read, { withinDelay, shows: discrepancy.class })
  })
}

/** Lists the conditions of a read that cannot decide: no source was reached, or a better read is still to come. */
const authorityOf = (
  subject: ActionInFlight,
  read: CheckedRead,
  { shows, withinDelay }: { readonly shows: Discrepancy.Class; readonly withinDelay: boolean }
): Facts => {
  if (isDown(read.evidence)) return outage
  const isAlarming = alarming.has(shows)
  // Within the delay a record may show the earlier state. After it, a strong source that was not read shows the present
  // one, and so may another read of it: rows 1 to 4 of Action Verification.
  const isOpen = withinDelay
    ? !isAlarming
    : (isForcible(subject, read) && !isAlarming) || (read.isStrong === true && shows === "value_mismatch")
  return isOpen ? { finding: "observation_authority_mismatch", budgetLeft: true } : {}
}

/** The evidence that no source can be read strongly. It is part of the reason why a person has to look. */
const alone: Discrepancy.ShownDifference = {
  fact: "contract.strong_source",
  expected: true,
  found: false
}

/** Tells whether a record may be older than the write: its source lags, or proves nothing. */
const mayLag = ({ contract }: ActionInFlight, { doubt, isStrong }: CheckedRead): boolean => {
  const isEventual = contract.readback?.consistency === "eventual"
  return isStrong !== true && (isEventual || doubt?.kind === "hint")
}

/** Tells whether the contract names a strong source that was not read yet. */
const isForcible = (subject: ActionInFlight, read: CheckedRead): boolean =>
  mayLag(subject, read) && subject.contract.readback?.strong !== undefined

/** The provider cannot be reached (rows 18 and 19 of Action Verification). */
const outage: Facts = { finding: "provider_outage", budgetLeft: true, providerUp: false }

const isDown = ({ _tag }: Evidence): boolean => _tag === "Unknown" || _tag === "Error"

/** Conditions that differ from the calm ones, and the finding by which the table decides, if not by the class. */
type Facts = Partial<RecoveryRow.Conditions> & { readonly finding?: Discrepancy.RecordFinding }

/**
 * Judges what an open local transaction shows, if it may not be committed. `late` means that its time is over.
 *
 * **Details**
 *
 * An effect that only the transaction has seen is aborted. A wrong target and a duplicate are rolled back, too, and
 * raise an alarm as always.
 */
export const ofTransaction = (subject: ActionInFlight, read: CheckedRead & { readonly late: boolean }): Recovery => {
  const { terms } = subject
  const discrepancy = classified(subject, read, { withinDelay: false, maybeStale: false }) ?? {
    class: "unknown_state" as const,
    evidence: [{ fact: "transaction.in_time", expected: true, found: !read.late }]
  }
  const conditions = { ...RecoveryRow.calm, transactionOpen: true }
  const sideEffect = subject.contract.class
  const own = decide(terms, discrepancy.class, sideEffect, conditions)
  if (own.action === "roll_back" || alarming.has(discrepancy.class)) return { discrepancy, decision: own }
  const finding = discrepancy.class === "unknown_state" ? "verification_timeout" : "observation_authority_mismatch"
  return { discrepancy, decision: decide(terms, finding, sideEffect, conditions) }
}

/** Classes that raise an alarm even after a rollback. */
const alarming: ReadonlySet<Discrepancy.Class> = new Set<Discrepancy.Class>([
  "wrong_target_modified",
  "duplicate_side_effect"
])

/** Judges a transaction that ended with its process, so that its store aborted it. */
export const ofAborted = ({ contract, terms }: ActionInFlight): Recovery =>
  byFact(terms, contract.class, "no_op_failure", {
    fact: { fact: "transaction.committed", expected: true, found: false },
    finding: "observation_authority_mismatch",
    transactionOpen: true
  })

/** Judges a record that differs from the one before a transaction that was rolled back. */
export const ofRemains = ({ contract, terms }: ActionInFlight, found: Json): Recovery =>
  byFact(terms, contract.class, "unknown_state", {
    fact: { fact: "record.as_before", expected: true, found },
    budgetLeft: false
  })

/** Judges a status answer that settles nothing. `proven` means that nothing happened. */
export const ofStatus = (
  subject: ActionInFlight,
  asked: { readonly evidence: Evidence; readonly proven: boolean }
): Recovery => {
  const { evidence, proven } = asked
  const discrepancy: Discrepancy.Discrepancy = proven
    ? { class: "no_op_failure", evidence: [{ fact: "key.recorded", expected: true, found: false }] }
    : nothingKnown(evidence)
  return decided(subject, discrepancy, {
    budgetLeft: proven,
    // The system knows a key as long as the key is honoured. If it does not know the key within that time, the action
    // was not done. A tool that has answered says otherwise, so only one that does nothing twice is called again.
    ...(proven ? { keyHonoured: mayRepeat(subject) && SendingAgain.blind(subject) === undefined } : {}),
    ...(evidence._tag === "Unknown" ? outage : {}),
    ...(isExecuting(subject) ? pendingTimeout(evidence) : timeout(subject, evidence))
  })
}

/** Tells whether a call that is not on record may be made again under its key, whatever its tool has answered. */
const mayRepeat = ({ contract, open, state }: ActionInFlight): boolean =>
  contract.idempotency === "idempotent_write" ||
  !OpenAction.isAnswered(open) ||
  !DecisionRules.binds(state, DecisionRules.answeredOnce)

/** Judges a call whose effect cannot be learnt: the system does not know its key, and it cannot be repeated. */
export const ofLost = (subject: ActionInFlight, reason: Finding): Recovery =>
  ofTimeout(subject, reason, { keyRecorded: false })

/** Judges a call whose key is known to the system, but about which no more questions are allowed. */
export const ofSilence = (subject: ActionInFlight, reason: Finding): Recovery =>
  ofTimeout(subject, reason, { budgetLeft: false })

const ofTimeout = (subject: ActionInFlight, reason: Finding, facts: Facts): Recovery =>
  decided(subject, nothingKnown({ _tag: "Unknown", reason }), { finding: "pending_timeout", ...facts })

/**
 * Judges a provider that could not be reached before a call. A call that was not sent is deferred; a call that was
 * sent is held.
 */
export const ofOutage = (subject: ActionInFlight, evidence: Evidence): Recovery => {
  const { attempts = 1, due } = subject.open
  // A due reversal was begun earlier by some process, and no attempt was made since.
  const executed = attempts > 1 || due === true
  const found = nothingKnown(evidence)
  const discrepancy = executed ? found : { ...found, class: "unverifiable_state" as const }
  return decided(subject, discrepancy, { executed, ...outage })
}

/** Judges a replayed answer: the tool recognised the key, and did nothing a second time. */
export const ofReplay = ({ contract, terms }: ActionInFlight): Recovery =>
  byFact(terms, contract.class, "duplicate_side_effect", {
    fact: { fact: "answer.first", expected: true, found: false },
    permitted: contract.idempotency === "idempotent_write"
  })

/**
 * Judges a subtask with a step that failed for good, by the effects of its other steps. `undefined` if no effect
 * stands.
 */
export const ofSubtask = (
  { contract, id, terms }: ActionInFlight,
  steps: ReadonlyArray<Saga.SagaStep>
): Recovery | undefined => {
  const effects = steps.filter(({ reversibility, state }) => reversibility !== "I" && state === "reconciled_success")
  const open = steps.filter(({ state }) => Saga.isUnsettled(state))
  if (effects.length + open.length === 0) return undefined
  const evidence = [
    { fact: id, expected: true, found: false },
    ...effects.map(({ action }) => ({ fact: action, expected: true, found: true }))
  ]
  const conditions = {
    ...RecoveryRow.calm,
    reversible: isReversible(effects),
    pivotPassed: Saga.pivot(steps) !== undefined
  }
  return {
    discrepancy: { class: "partial_application", evidence },
    decision: decide(terms, "partial_application", contract.class, conditions)
  }
}

/** Tells whether steps have reversals, of which one at least is still in time. */
const isReversible = (effects: ReadonlyArray<Saga.SagaStep>): boolean =>
  effects.every(({ compensation }) => compensation !== undefined) &&
  (effects.length === 0 || effects.some(({ isTooLate }) => isTooLate !== true))

/** Judges a plan that was made on another version of the target than the present one. Nothing was sent. */
export const ofStale = ({ contract, terms }: ActionInFlight, [planned, found]: readonly [Json, Json]): Recovery =>
  byFact(terms, contract.class, "stale_state", {
    fact: { fact: "target.version", expected: planned, found },
    executed: false
  })

/** Judges a record that showed the intended effect before anything was sent. The contract says whether that counts. */
export const ofNoOp = ({ contract, terms }: ActionInFlight, permitted: boolean): Recovery =>
  byFact(terms, contract.class, "no_op_success", {
    fact: { fact: "target.changed", expected: true, found: false },
    executed: false,
    permitted
  })

/** Judges a record that could not be read, and may be read again. */
export const ofUnread = (subject: ActionInFlight, evidence: Evidence): Recovery =>
  decided(subject, nothingKnown(evidence), { budgetLeft: true, providerUp: false })

/** Judges a reversal that failed. */
export const ofCompensationFailure = (
  terms: DecisionTerms.DecisionTerms,
  sideEffect: ToolContract.SideEffect
): Recovery =>
  byFact(terms, sideEffect, "compensation_required", {
    fact: { fact: "reversal.done", expected: true, found: false },
    finding: "compensation_failure"
  })

/** Judges an action whose record may not be read any more, so that nothing more can be learnt of it. */
export const unverifiable = (subject: ActionInFlight, reason: Finding): Recovery => {
  const discrepancy: Discrepancy.Discrepancy = {
    class: "unverifiable_state",
    evidence: [{ fact: "record.way", expected: true, found: reason }]
  }
  return decided(subject, discrepancy, { budgetLeft: false })
}

/** Commits a recovery, with the policy and the row that decided it. */
export const toContent = (
  { id, terms }: Pick<ActionInFlight, "id" | "terms">,
  self: Recovery,
  more: Payload.Of<"recovery.decided"> = {}
): CommitContent.Said<"recovery.decided"> => {
  const { action, row, section } = self.decision
  const data: Payload.Of<"recovery.decided"> = {
    ...more,
    decision: action,
    discrepancy: self.discrepancy.class,
    policyVersion: RecoveryTable.policyVersion(terms.recovery),
    row,
    section,
    ...(self.fallback === undefined
      ? {}
      : {
          exhausted: self.fallback.exhausted.map(({ because, fallback }) => ({ because, fallback })),
          fallback: self.fallback.fallback
        }),
    ...(action === "retry_same_key" ? { state: "forward_recovery" } : {}),
    ...(RecoveryAction.definition(action).strategy === "incident" ? { incident: `${id}@${terms.tick}` } : {})
  }
  return { action: { id }, data }
}

/** Lists the fields of a discrepancy in a transition that reports it. */
export const toData = ({
  discrepancy
}: Recovery): Partial<Pick<Discrepancy.Discrepancy, "evidence">> & { readonly discrepancy: Discrepancy.Class } => {
  const evidence = discrepancy.evidence.map(({ expected, fact, found, indicator, shown }) => ({
    expected,
    fact,
    found,
    ...(indicator === undefined ? {} : { indicator }),
    ...(shown === undefined ? {} : { shown })
  }))
  return { discrepancy: discrepancy.class, ...(evidence.length === 0 ? {} : { evidence }) }
}

/** Makes the argument of a finding from a recovery: the class of the discrepancy, the row, and its decision. */
export const toArgs = ({ decision, discrepancy }: Recovery): { readonly recovery: (typeof RecoveryArgs)["Type"] } => {
  const { action, row, section } = decision
  const isAlone = discrepancy.evidence.includes(alone)
  return {
    recovery: { action, ...(isAlone ? { alone: true } : {}), discrepancy: discrepancy.class, row, section }
  }
}

/** Tells whether a discrepancy is certain, even if something may still arrive. */
export const isGrave = ({ discrepancy }: Recovery): boolean =>
  discrepancy.class === "wrong_target_modified" || discrepancy.class === "duplicate_side_effect"

/** Decides by the table under trial, if there is one. A recovery names the version of its table. */
const decide = (
  { recovery = RecoveryTable.sections }: DecisionTerms.DecisionTerms,
  ...asked: Parameters<typeof RecoveryTable.decide>
): RecoveryTable.ChosenRecovery => RecoveryTable.decideBy(recovery, ...asked)

/** The table's verdict on a discrepancy that one fact shows, under conditions that are calm but for those given. */
const byFact = (
  terms: DecisionTerms.DecisionTerms,
  sideEffect: ToolContract.SideEffect,
  discrepancy: Discrepancy.Class,
  about: Facts & { readonly fact: Discrepancy.ShownDifference }
): Recovery => {
  const { fact, finding = discrepancy, ...conditions } = about
  const decision = decide(terms, finding, sideEffect, { ...RecoveryRow.calm, ...conditions })
  return { discrepancy: { class: discrepancy, evidence: [fact] }, decision }
}

const decided = (
  subject: ActionInFlight,
  discrepancy: Discrepancy.Discrepancy,
  { finding, ...more }: Facts
): Recovery => {
  const { contract, open, state, terms } = subject
  const isWrite = contract.idempotency === "idempotent_write"
  const conditions: RecoveryRow.Conditions = {
    ...RecoveryRow.calm,
    reversible: Compensation.isReversible(subject, open.actual ?? null),
    pivotPassed: Saga.pivot(SagaSteps.of(terms, state, SagaSteps.instancesOf(terms, open.undo))) !== undefined,
    keyRecorded: open.key !== undefined && (isWrite || contract.status === "by_key"),
    // A key is honoured for the time in the contract, and the number of sendings is limited.
    keyHonoured: open.key !== undefined && isWrite && SendingAgain.blind(subject) === undefined,
    ...more
  }
  const decision = decide(terms, finding ?? discrepancy.class, contract.class, conditions)
  const isRead = contract.class === "read_only"
  const fallback = isRead ? undefined : RecoveryFallback.choose(contract.class, decision.action, conditions)
  return { discrepancy, decision, fallback }
}
