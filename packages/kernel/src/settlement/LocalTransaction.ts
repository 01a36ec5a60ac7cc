/**
 * A call that stays in an open transaction until it is verified. It is read inside, and then committed or rolled
 * back, so that nobody sees an unverified effect.
 *
 * | step | durable before the next |
 * | --- | --- |
 * | intent, key and target | `action.started` |
 * | the record is read from outside | `action.verified` with `data.before` |
 * | the tool acts in a transaction that it leaves open | |
 * | it is read inside, and compared with the contract | `action.verified` with `data.verdict` |
 * | it is committed, or rolled back | |
 * | the record is read from outside | `action.verified`, `action.reconciled` |
 *
 * The verdict is durable before it is carried out, so that only one of two processes can commit. After a crash the
 * store aborts the open transaction: once no process can commit any more, an unchanged record is evidence of that
 * (decision 0036). Until the action is settled its target stays claimed (L7).
 *
 * @source Action Verification, "Rollback" and row 3 of "Recovery Decision Tables"
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Outcome } from "@backstitch/trace/Transition"
import {
  type ActionInFlight,
  findAction,
  readRequestOf,
  requestOf,
  sendBeforeOf,
  targetOf
} from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import { commit, type Decision, end, go, gone, wait } from "../decision/Decision.ts"
import type { Concluded, Evidence } from "../decision/Evidence.ts"
import { failureOf, readOf, recordOf } from "../decision/Evidence.ts"
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

/** The verdict on an open transaction: to commit it, to roll it back, or to roll it back and let a person look. */
export type TransactionVerdict = "commit" | "roll_back" | "freeze"

/** The facts after a transaction: the record from outside, and the end that its store reported. */
export interface After {
  readonly evidence: Evidence
  readonly concluded?: Concluded | undefined
  /** Epoch milliseconds at which the record was asked for: the record describes that moment. */
  readonly askedAt?: number | undefined
}

/**
 * Tells whether an action is carried out in a local transaction of this run. A transaction of another run is not open
 * here.
 */
export const isHeld = ({ contract, open }: ActionInFlight): boolean =>
  ToolContract.isLocal(contract) && open.adopted !== true

/**
 * Tells whether a frozen transaction was rolled back and its record not read since. The record is then read for the
 * person who decides, and settles nothing.
 */
export const isUnseen = ({ open }: ActionInFlight): boolean => open.transaction === "freeze" && !OpenAction.isRead(open)

/** Decides on the answer of a tool that acted in a transaction. Without an answer there is nothing to commit. */
export const opened = (
  subject: ActionInFlight,
  command: { readonly evidence: Evidence; readonly latencyMillis?: number | undefined }
): Decision => {
  const { evidence } = command
  const { id } = subject
  if (evidence._tag === "Ok") {
    const data = { transaction: "open" } as const
    const answered = answerOf(
      id,
      { output: evidence.output, status: "ok", trust: Trust.of("word") },
      { ...command, data }
    )
    const request = { ...requestOf(subject), observed: evidence.output }
    return go({ _tag: "ReadInside", request }, { answered })
  }
  const unread = { evidence, predicates: [], late: false }
  const recovery = Recovery.ofTransaction(subject, unread)
  const data = { transaction: "open", verdict: verdictOf(recovery) } as const
  const output = failureOf(evidence)
  const answered = answerOf(id, { output, status: "unknown", trust: Trust.of("none") }, { ...command, data })
  return conclude(subject, "roll_back", { answered, recovery: Recovery.toContent(subject, recovery) })
}

/** Judges what the open transaction shows. It is committed only if it meets the contract, within its time. */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: { readonly action: string; readonly evidence: Evidence }
): Decision => {
  const { action, evidence } = command
  const subject = findAction(terms, state, action)
  if (subject === undefined) return gone(terms, action)
  // Another process continued meanwhile, so the transaction that is open here is not committed.
  if (subject.open.transaction !== "open") return readAgain(subject)
  const confirmation = Confirmation.judge(inside(subject), { evidence })
  const late = terms.now > sendBeforeOf(subject)
  const judged = (data: Payload.Of<"action.verified">, result: Outcome): Said<"action.verified"> => ({
    action: { id: action },
    data: { ...data, ...Confirmation.toData(confirmation) },
    result
  })
  if (confirmation.isConfirmed && evidence._tag === "Ok" && !late) {
    const verified = judged({ verdict: "commit" }, { output: evidence.output, status: "ok", trust: Trust.of("word") })
    return conclude(subject, "commit", { verified })
  }
  const { predicates, scoping } = Confirmation.telling(confirmation)
  const { doubt } = confirmation
  const recovery = Recovery.ofTransaction(subject, { doubt, evidence, late, predicates, scoping })
  const data = {
    ...Recovery.toData(recovery),
    ...readOf(evidence),
    unmet: unmetOf(confirmation, recovery),
    verdict: verdictOf(recovery)
  }
  const shown = contradiction(confirmation)
  // An effect that is only late contradicts nothing.
  const result = confirmation.isConfirmed ? { ...shown, status: "unknown" as const } : shown
  const verified = judged(data, result)
  return conclude(subject, "roll_back", { verified, recovery: Recovery.toContent(subject, recovery) })
}

/**
 * Decides a transaction that is over, by the record from outside. `undefined` if it is proven like any other effect.
 */
export const settled = (subject: ActionInFlight, read: After): Decision | undefined => {
  const { contract, open, terms } = subject
  const { askedAt = terms.now, concluded, evidence } = read
  if (open.transaction === "committed" || concluded === "committed") return undefined
  const isAsBefore = asBefore(subject, evidence)
  const isAborted = concluded === "rolled_back" || open.transaction === "roll_back" || open.transaction === "freeze"
  if (!isAborted) {
    // If the effect was there before, an unchanged record proves nothing, and is judged like any other record.
    if (!isAsBefore || open.before?.met === true) return undefined
    const until = ArrivalWindow.closesAt(contract, open.startedAt ?? terms.now)
    if (terms.now < until) return later(subject, until)
    // A record that was read within the time may have been followed by a commit (decision 0007).
    return askedAt < until ? readAgain(subject) : over(subject, read)
  }
  if (isAsBefore) return over(subject, read)
  const until = (open.answer?.at ?? open.startedAt ?? terms.now) + (contract.readback?.withinMillis ?? 0)
  if (evidence._tag !== "Ok" && terms.now < until) return later(subject, until)
  return remaining(subject, read)
}

/** Settles a transaction without any remaining effect: it is rolled back, or waits for a person who has to look. */
const over = (subject: ActionInFlight, read: After): Decision => {
  const { contract, id, open } = subject
  const verdict = open.transaction
  // A decision made inside the transaction counts. If a crash prevented it, it is made now.
  const recovery = verdict === "roll_back" || verdict === "freeze" ? undefined : Recovery.ofAborted(subject)
  const verified = verifiedAfter(id, read, {
    data: { ...(recovery === undefined ? {} : Recovery.toData(recovery)), remains: "nothing" },
    result: { status: "mismatch", trust: Trust.of("confirmed") },
    unmet: Finding.make("record.nothing", {})
  })
  if (verdict === "freeze") {
    const why = Finding.make("transaction.frozen", { tool: contract.name, ...targetOf(subject) })
    return held(subject, { why, content: { verified } })
  }
  const before = recovery === undefined ? { verified } : { verified, recovery: Recovery.toContent(subject, recovery) }
  const error = Finding.make("failure.rolled_back", { tool: contract.name })
  return failed(subject, { error, basis: "readback", before, as: "rolled_back" })
}

/** Holds a transaction that was rolled back although its record has changed or cannot be read. */
const remaining = (subject: ActionInFlight, read: After): Decision => {
  const { contract, id } = subject
  const { evidence } = read
  const isShown = evidence._tag === "Ok" || evidence._tag === "NotFound"
  const recovery = Recovery.ofRemains(subject, isShown ? false : failureOf(evidence))
  const unmet = Finding.make(isShown ? "record.changed" : "record.unread", {})
  const verified = verifiedAfter(id, read, {
    data: { ...Recovery.toData(recovery), remains: "unknown" },
    result: { status: "unknown", trust: Trust.of("word") },
    unmet
  })
  const why = Finding.make("transaction.remains", { tool: contract.name, ...targetOf(subject), unmet })
  const content = { verified, recovery: Recovery.toContent(subject, recovery) }
  return held(subject, { why, content })
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
  result: { ...about.result, output: recordOf(evidence) }
})

/** Holds an action for a person. A held reversal stops its plan. */
const held = (
  { id, open, state, terms }: ActionInFlight,
  { content, why }: { readonly why: Finding.Finding; readonly content: CommitContent }
): Decision => {
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined) {
    return UndoStop.stop(terms, plan, { undoes: open.undoes, why, before: content })
  }
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, content)
}

const conclude = (subject: ActionInFlight, how: "commit" | "roll_back", content: CommitContent): Decision => {
  const request = { ...readRequestOf(subject), sendBefore: sendBeforeOf(subject) }
  return commit(content, { _tag: "Conclude", how, request })
}

/** Turns a recovery into a verdict: a transaction that does not meet the contract is never committed. */
const verdictOf = ({ decision }: Recovery.Recovery): TransactionVerdict =>
  decision.action === "roll_back" ? "roll_back" : "freeze"

/** Inside the transaction there is one source: the transaction itself. The other sources are asked after the commit. */
const inside = (subject: ActionInFlight): ActionInFlight => {
  const { contract } = subject
  return contract.readback === undefined
    ? subject
    : { ...subject, contract: { ...contract, readback: { ...contract.readback, sources: [] } } }
}

/**
 * Tells whether the record is as it was before anything was opened. If no record was read before, no transaction was
 * opened.
 */
const asBefore = ({ open }: ActionInFlight, evidence: Evidence): boolean => {
  const { before, transaction } = open
  if (evidence._tag === "NotFound") return before?.found !== true
  if (evidence._tag !== "Ok") return false
  if (before === undefined) return transaction === undefined
  return before.record === digestOf(evidence.output)
}

const readAgain = (subject: ActionInFlight): Decision => go({ _tag: "ReadBack", request: readRequestOf(subject) })

const later = ({ contract, id, open, terms }: ActionInFlight, until: number): Decision => {
  const { poll = Backoff.standard } = contract.readback ?? {}
  const since = open.answer?.at ?? open.startedAt ?? terms.now
  return wait(id, Math.min(until, Backoff.next(poll, { since, now: terms.now })))
}
