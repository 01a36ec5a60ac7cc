/**
 * A call that is left open until it is verified: read inside, then committed, or rolled back before anybody saw it.
 *
 * | step | durable before the next |
 * | --- | --- |
 * | intent, key and target | `action.started` |
 * | the record is read from outside | `action.verified` with `data.before` |
 * | the tool acts in a transaction that it leaves open | |
 * | it is read inside, and held against the contract | `action.verified` with `data.verdict` |
 * | it is committed, or rolled back | |
 * | the record is read from outside | `action.verified`, `action.reconciled` |
 *
 * The verdict is on record before it is carried out, so that of two processes only one can commit. After a crash the
 * store aborts the open transaction: a record that is unchanged once nobody can commit any more is evidence of that
 * (decision 0036). Until it is settled the target stays claimed (L7).
 *
 * @source Action Verification, "Rollback" and row 3 of "Recovery Decision Tables"
 */
import * as Polling from "@backstitch/contracts/Polling"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Outcome } from "@backstitch/trace/Transition"
import type * as ActionInFlight from "../action/ActionInFlight.ts"
import { readRequestOf, requestOf, sendBeforeOf, subjectOf, targetOf } from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import { type Decision, end, go, gone, wait } from "../decision/Decision.ts"
import type { Concluded, Evidence } from "../decision/Evidence.ts"
import { failureOf, readOf } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as UndoStop from "../undo/UndoStop.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { digestOf } from "../verification/classification.ts"
import { answerOf } from "../verification/toolAnswer.ts"
import { failed } from "./actionSettlement.ts"
import { contradiction, unmetOf } from "./readbackMismatch.ts"

type Subject = ActionInFlight.Subject

/** The verdict on an open transaction: to commit it, to roll it back, or to roll it back and let a person look. */
export type Verdict = "commit" | "roll_back" | "freeze"

/** The facts after a transaction: the record from outside, and the end that its store told. */
export interface After {
  readonly evidence: Evidence
  readonly concluded?: Concluded | undefined
  /** Epoch milliseconds at which the record was asked for: what it shows is of then. */
  readonly askedAt?: number | undefined
}

/** Tells whether an action is carried out in a local transaction here. What another run did is not open here. */
export const isHeld = ({ contract, open }: Subject): boolean => ToolContract.isLocal(contract) && open.adopted !== true

/**
 * Tells whether a frozen transaction was rolled back and its record not read since: it is read for the person who
 * decides, and settles nothing.
 */
export const isUnseen = ({ open }: Subject): boolean => open.transaction === "freeze" && !OpenAction.isRead(open)

/**
 * Decides what follows the answer of a tool that acted in a transaction. Without an answer there is nothing to commit.
 */
export const opened = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  subject: Subject,
  command: { readonly evidence: Evidence; readonly latencyMillis?: number | undefined }
): Decision => {
  const { evidence } = command
  const { id } = subject
  if (evidence._tag === "Ok") {
    const data = { transaction: "open" } as const
    const answered = answerOf(id, { output: evidence.output, status: "ok", trust: 1 }, { ...command, data })
    const request = { ...requestOf(terms, subject), observed: evidence.output }
    return { content: { answered }, flush: "later", next: { _tag: "ReadInside", request } }
  }
  const unread = { evidence, predicates: [], late: false }
  const recovery = Recovery.ofTransaction(terms, state, subject, unread)
  const data = { transaction: "open", verdict: verdictOf(recovery) } as const
  const output = failureOf(evidence)
  const answered = answerOf(id, { output, status: "unknown", trust: 0 }, { ...command, data })
  return conclude(terms, subject, "roll_back", { answered, recovery: Recovery.said(terms, id, recovery) })
}

/** Judges what the open transaction shows: only what meets the contract, in its time, is committed. */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: { readonly action: string; readonly evidence: Evidence }
): Decision => {
  const { action, evidence } = command
  const subject = subjectOf(terms, state, action)
  if (subject === undefined) return gone(terms, action)
  // Another process went on meanwhile: what is open here is not committed.
  if (subject.open.transaction !== "open") return readAgain(terms, subject)
  const confirmation = Confirmation.judge(terms, state, inside(subject), { evidence })
  const late = terms.now > sendBeforeOf(terms, subject)
  const judged = (data: Payload.Of<"action.verified">, result: Outcome): Said<"action.verified"> => ({
    action: { id: action },
    data: { ...data, ...Confirmation.toData(confirmation) },
    result
  })
  if (confirmation.isConfirmed && evidence._tag === "Ok" && !late) {
    const verified = judged({ verdict: "commit" }, { output: evidence.output, status: "ok", trust: 1 })
    return conclude(terms, subject, "commit", { verified })
  }
  const { predicates, scoping } = Confirmation.telling(confirmation)
  const { doubt } = confirmation
  const recovery = Recovery.ofTransaction(terms, state, subject, { doubt, evidence, late, predicates, scoping })
  const data = {
    ...Recovery.toData(recovery),
    ...readOf(evidence),
    unmet: unmetOf(confirmation, recovery),
    verdict: verdictOf(recovery)
  }
  const shown = contradiction(confirmation)
  // Nothing contradicts what is only late.
  const result = confirmation.isConfirmed ? { ...shown, status: "unknown" as const } : shown
  const verified = judged(data, result)
  return conclude(terms, subject, "roll_back", { verified, recovery: Recovery.said(terms, action, recovery) })
}

/**
 * Decides a transaction that is over by the record from outside. `undefined` where it is proven like any other effect.
 */
export const settled = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  subject: Subject,
  read: After
): Decision | undefined => {
  const { askedAt = terms.now, concluded, evidence } = read
  const { contract, open } = subject
  if (open.transaction === "committed" || concluded === "committed") return undefined
  const isAsBefore = asBefore(subject, evidence)
  const isAborted = concluded === "rolled_back" || open.transaction === "roll_back" || open.transaction === "freeze"
  if (!isAborted) {
    // What was there before proves nothing either way: it is judged like any record.
    if (!isAsBefore || open.before?.met === true) return undefined
    const until = ArrivalWindow.closesAt(contract, open.startedAt ?? terms.now)
    if (terms.now < until) return later(terms, subject, until)
    // What was read in time may have been committed since (decision 0007).
    return askedAt < until ? readAgain(terms, subject) : over(terms, state, subject, read)
  }
  if (isAsBefore) return over(terms, state, subject, read)
  const until = (open.answer?.at ?? open.startedAt ?? terms.now) + (contract.readback?.withinMillis ?? 0)
  if (evidence._tag !== "Ok" && terms.now < until) return later(terms, subject, until)
  return remaining(terms, state, subject, read)
}

/** Settles a transaction of which nothing remains: it is rolled back, or waits for a person who has to look. */
const over = (terms: DecisionTerms.DecisionTerms, state: State, subject: Subject, read: After): Decision => {
  const { contract, id, open } = subject
  const verdict = open.transaction
  // What was decided inside stands; what a crash cut off is decided now.
  const recovery = verdict === "roll_back" || verdict === "freeze" ? undefined : Recovery.ofAborted(terms, subject)
  const verified = verifiedAfter(id, read, {
    data: { ...(recovery === undefined ? {} : Recovery.toData(recovery)), remains: "nothing" },
    result: { status: "mismatch", trust: 3 },
    unmet: Finding.make("record.nothing", {})
  })
  if (verdict === "freeze") {
    const why = Finding.make("transaction.frozen", { tool: contract.name, ...targetOf(subject) })
    return held(terms, state, subject, { why, content: { verified } })
  }
  const before = recovery === undefined ? { verified } : { verified, recovery: Recovery.said(terms, id, recovery) }
  const error = Finding.make("failure.rolled_back", { tool: contract.name })
  return failed(terms, state, subject, { error, basis: "readback", before, as: "rolled_back" })
}

/** Holds a transaction that was rolled back although its record has changed or cannot be read. */
const remaining = (terms: DecisionTerms.DecisionTerms, state: State, subject: Subject, read: After): Decision => {
  const { contract, id } = subject
  const { evidence } = read
  const isShown = evidence._tag === "Ok" || evidence._tag === "NotFound"
  const recovery = Recovery.ofRemains(terms, subject, isShown ? false : failureOf(evidence))
  const unmet = Finding.make(isShown ? "record.changed" : "record.unread", {})
  const verified = verifiedAfter(id, read, {
    data: { ...Recovery.toData(recovery), remains: "unknown" },
    result: { status: "unknown", trust: 1 },
    unmet
  })
  const why = Finding.make("transaction.remains", { tool: contract.name, ...targetOf(subject), unmet })
  const content = { verified, recovery: Recovery.said(terms, id, recovery) }
  return held(terms, state, subject, { why, content })
}

/** Commits the record from outside, once the transaction has ended. */
const verifiedAfter = (
  id: string,
  { concluded, evidence }: After,
  about: {
    readonly data: Payload.Of<"action.verified">
    readonly result: Outcome
    readonly unmet: Finding.Finding
  }
): Said<"action.verified"> => ({
  action: { id },
  data: {
    ...about.data,
    ...readOf(evidence),
    ...(concluded === undefined ? {} : { concluded }),
    unmet: [about.unmet]
  },
  result: { ...about.result, output: evidence._tag === "Ok" ? evidence.output : null }
})

/** Holds an action for a person. A held reversal stops its plan. */
const held = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { id, open }: Subject,
  { content, why }: { readonly why: Finding.Finding; readonly content: CommitContent }
): Decision => {
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined) {
    return UndoStop.stop(terms, plan, { undoes: open.undoes, why, before: content })
  }
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, content)
}

const conclude = (
  terms: DecisionTerms.DecisionTerms,
  subject: Subject,
  how: "commit" | "roll_back",
  content: CommitContent
): Decision => {
  const request = { ...readRequestOf(terms, subject), sendBefore: sendBeforeOf(terms, subject) }
  return { content, flush: "now", next: { _tag: "Conclude", how, request } }
}

/** Turns a recovery into a verdict: a transaction that does not meet the contract is never committed. */
const verdictOf = ({ decision }: Recovery.Recovery): Verdict =>
  decision.action === "roll_back" ? "roll_back" : "freeze"

/** Inside there is one source: the transaction itself. The others are asked once it is committed. */
const inside = (subject: Subject): Subject => {
  const { contract } = subject
  return contract.readback === undefined
    ? subject
    : { ...subject, contract: { ...contract, readback: { ...contract.readback, sources: [] } } }
}

/** The record is as it was before anything was opened. Of what was never read before, nothing was opened. */
const asBefore = ({ open }: Subject, evidence: Evidence): boolean => {
  const { before, transaction } = open
  if (evidence._tag === "NotFound") return before?.found !== true
  if (evidence._tag !== "Ok") return false
  if (before === undefined) return transaction === undefined
  return before.record === digestOf(evidence.output)
}

const readAgain = (terms: DecisionTerms.DecisionTerms, subject: Subject): Decision =>
  go({ _tag: "ReadBack", request: readRequestOf(terms, subject) })

const later = (terms: DecisionTerms.DecisionTerms, { contract, id, open }: Subject, until: number): Decision => {
  const { poll = Polling.standard } = contract.readback ?? {}
  const since = open.answer?.at ?? open.startedAt ?? terms.now
  return wait(id, Math.min(until, Polling.next(poll, { since, now: terms.now })))
}
