/**
 * Reads the system of record before a call, and decides whether the call is needed and allowed.
 *
 * A reversal whose own record shows it already needs no call. A record that does not show the reversal says nothing
 * about its original, which was asked about before (see `Presence`): if the original has changed, the reversal is not
 * sent. A contract may ask for the same read before any other call. Then an effect that is already there needs no
 * call, and a plan that was made on another version is refused before it can overwrite the present one.
 *
 * | the record | a reversal | another call |
 * | --- | --- | --- |
 * | meets the contract already | settled, unless the original may still arrive | counts as done, or is held |
 * | does not show the target | is sent, if the original has not changed | is sent |
 * | shows another version than the planned one | is sent | fails, and nothing is sent |
 * | cannot be read | is deferred, or held where it was sent before | is deferred, or held where it was sent before |
 * | may not be read | is held | fails, and nothing is sent |
 *
 * For a deferred call the record is read again by the schedule of its contract, and after that by every resume. The
 * call is sent only after such a read.
 *
 * Before a local transaction the record is always read: after a rollback the record has to be the same.
 *
 * @source Action Verification, "Discrepancy Classification Model": no-op success, stale state
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationLatency from "@backstitch/contracts/VerificationLatency"
import * as Expression from "@backstitch/expressions/Expression"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import { type ActionInFlight, findAction, requestOf, sendBeforeOf } from "../action/ActionInFlight.ts"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import { commit, type Decision, end, go, gone } from "../decision/Decision.ts"
import type { Evidence } from "../decision/Evidence.ts"
import { originOf, readOf, recordOf } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as UndoStep from "../undo/UndoStep.ts"
import * as UndoStop from "../undo/UndoStop.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { digestOf } from "../verification/classification.ts"
import * as Presence from "../verification/Presence.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"
import { failed, settle } from "./actionSettlement.ts"
import * as Settle from "./Settle.ts"

/** Decides a call by the record before it. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action, evidence }: { readonly action: string; readonly evidence: Evidence }
): Decision => {
  const subject = findAction(terms, state, action)
  if (subject === undefined) return gone(terms, action)
  const { contract, open } = subject
  // Another process continued meanwhile, and may have sent the call already.
  const isOpen = OpenAction.isInFlight(open) || (UndoStep.isDue(open) && UndoStep.isWithheld(state, open))
  if (!isOpen || (ToolContract.isLocal(contract) && open.before !== undefined))
    return Settle.recover(terms, state, { action })
  const read = readingOf(subject, evidence)
  if (read.isMet && ScopeCheck.strays(read.reading.scoping)) return astray(subject, read)
  return open.undoes === undefined ? ofCall(subject, read) : ofReversal(subject, read, open.undoes)
}

/** A read before a call: whether the record proves anything, whether it meets the contract, and its transition. */
interface ReadBefore {
  readonly evidence: Evidence
  readonly reading: Confirmation.CheckedSource
  readonly isRead: boolean
  readonly isMet: boolean
  readonly verified: Said<"action.verified">
}

const readingOf = (subject: ActionInFlight, evidence: Evidence): ReadBefore => {
  const { contract, open } = subject
  // A replica proves neither presence nor absence.
  const isStrong = open.undoes === undefined && contract.readback?.strong !== undefined
  const [reading] = Confirmation.judge(subject, { evidence, isStrong }).readings
  const isRead = evidence._tag === "Ok" && reading.hint === undefined
  const isMet = isRead && reading.predicates.every(({ held }) => held === true)
  return { evidence, reading, isRead, isMet, verified: noted(subject, evidence, isMet) }
}

/** Decides a reversal by its own record. */
const ofReversal = (subject: ActionInFlight, read: ReadBefore, undoes: string): Decision => {
  const { evidence, isMet, isRead, verified } = read
  const { open, state } = subject
  if (isMet && !Presence.isUnderWay(state, undoes)) return shown(subject, read, { verified })
  if (!isRead && evidence._tag !== "NotFound") return postponed(subject, read)
  return UndoStep.isWithheld(state, open) ? UndoStep.withhold(subject, verified) : send(subject, verified)
}

/** Decides any other call by the record of its target. */
const ofCall = (subject: ActionInFlight, read: ReadBefore): Decision => {
  const { evidence, isMet, isRead, verified } = read
  const { before } = subject.contract.readback ?? {}
  if (!isTold(subject, read)) return postponed(subject, read)
  const stale = isRead && staleness(subject, recordOf(evidence))
  if (stale) {
    const recovery = Recovery.ofStale(subject, stale)
    const content = { verified, recovery: Recovery.toContent(subject, recovery) }
    if (RecoveryAction.definition(recovery.decision.action).leadsTo === "review_required") {
      return refrained(subject, recovery, content)
    }
    const error = Finding.make("failure.found", Recovery.toArgs(recovery))
    return failed(subject, { error, basis: "readback", before: content })
  }
  if (!isMet || before === undefined) return send(subject, verified)
  const recovery = Recovery.ofNoOp(subject, before === "permit")
  const content = { verified, recovery: Recovery.toContent(subject, recovery) }
  return recovery.decision.action === "settle_as_is"
    ? shown(subject, read, content)
    : refrained(subject, recovery, content)
}

/** Settles an act whose effect the record shows, although nothing was sent. */
const shown = (subject: ActionInFlight, { evidence }: ReadBefore, before: CommitContent): Decision => {
  // If only one of several sources was asked, the trust is not that of all of them.
  const trust = subject.contract.readback?.sources.length === 0 ? 3 : 2
  return settle(subject, { basis: "readback", output: recordOf(evidence), before, trust })
}

/** Tells whether a read counts: a strong read does, and a read that may lag only if it shows the planned version. */
const isTold = (subject: ActionInFlight, { evidence, isRead }: ReadBefore): boolean => {
  if (isRead || evidence._tag === "NotFound") return true
  const isEventual = subject.contract.readback?.consistency === "eventual"
  return evidence._tag === "Ok" && isEventual && staleness(subject, evidence.output) === false
}

/** During an outage nothing is sent (row 18 of Action Verification), and nothing is sent twice (row 19). */
const postponed = (subject: ActionInFlight, { evidence, verified }: ReadBefore): Decision => {
  const { contract, id, open, terms } = subject
  const recovery = Recovery.ofOutage(subject, evidence)
  const isDue = recovery.decision.action === "defer"
  // A refused read will be refused again. A call that could never be verified fails cleanly and is not sent.
  if (isDue && evidence._tag === "Error" && open.undoes === undefined) {
    const before = { verified, recovery: Recovery.toContent(subject, recovery, Recovery.toData(recovery)) }
    return failed(subject, { error: evidence.error, basis: "readback", before })
  }
  const data = { ...Recovery.toData(recovery), ...(isDue ? { defers: true as const } : unsent(open)) }
  const content = { verified, recovery: Recovery.toContent(subject, recovery, data) }
  const { poll, withinMillis } = VerificationLatency.schedule(contract)
  const since = open.deferredAt ?? terms.now
  if (isDue && DecisionTerms.surely(terms, since) < since + withinMillis) {
    const untilMillis = Backoff.next(poll, { since, now: terms.now })
    return commit(content, { _tag: "Wait", action: id, untilMillis })
  }
  const why = Finding.make("before.unread", { tool: contract.name, ...Recovery.toArgs(recovery) })
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, content)
}

/** An attempt that was not sent does not count. A reversal begins anew after its original was asked about. */
const unsent = (open: OpenAction.OpenAction): Pick<Payload.Of<"recovery.decided">, "due" | "unsent"> => ({
  ...(UndoStep.isDue(open) ? {} : { unsent: true }),
  ...(open.undoes === undefined ? {} : { due: true })
})

/** The record shows the intended effect on another target: it proves nothing about this action, and nothing is sent. */
const astray = (subject: ActionInFlight, { evidence, reading, verified }: ReadBefore): Decision => {
  const { contract, open, state, terms } = subject
  const { predicates, scoping } = reading
  const recovery = Recovery.ofReadback(subject, { evidence, predicates, scoping, until: terms.now })
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined) {
    const why = Finding.make("reversal.astray", { tool: contract.name, ...Recovery.toArgs(recovery) })
    return UndoStop.stop(terms, plan, { undoes: open.undoes, why, before: { verified } })
  }
  const decided = Recovery.toContent(subject, recovery, Recovery.toData(recovery))
  return refrained(subject, recovery, { verified, recovery: decided })
}

/** Holds a call that was not sent until a person decides. */
const refrained = (
  { contract, id, terms: { tick } }: ActionInFlight,
  recovery: Recovery.Recovery,
  content: CommitContent
): Decision => {
  const why = Finding.make("before.refrained", { tool: contract.name, ...Recovery.toArgs(recovery) })
  return end({ _tag: "Held", tick, action: id, why }, content)
}

/** Commits the record before a call, to judge later whether the call changed anything. */
const noted = ({ id }: ActionInFlight, evidence: Evidence, isMet: boolean): Said<"action.verified"> => {
  const output = recordOf(evidence)
  const before =
    evidence._tag === "Ok"
      ? { found: true, met: isMet, record: digestOf(output) }
      : { ...(evidence._tag === "NotFound" ? { found: false } : {}), met: false }
  const status = isMet ? "ok" : evidence._tag === "Ok" || evidence._tag === "NotFound" ? "mismatch" : "unknown"
  return {
    action: { id },
    data: { before, ...readOf(evidence), ...originOf(evidence) },
    result: { output, status, trust: Trust.of("word") }
  }
}

/**
 * Sends the call. Its time to be sent counts from its start: a read before it does not prolong that time (decision
 * 0036). The record before a local transaction is durable first, because a rollback is judged by it.
 */
const send = (subject: ActionInFlight, verified: Said<"action.verified">): Decision => {
  const resent = (subject.open.attempts ?? 1) > 1 ? { resent: true } : {}
  const request = { ...requestOf(subject), sendBefore: sendBeforeOf(subject), ...resent }
  return ToolContract.isLocal(subject.contract)
    ? commit({ verified }, { _tag: "Open", request })
    : go({ _tag: "Call", request }, { verified })
}

/** Finds the planned version and the present one, if they differ. */
const staleness = ({ contract, open, state }: ActionInFlight, actual: Json): readonly [Json, Json] | false => {
  const { version } = contract.readback ?? {}
  if (version === undefined) return false
  const scope = ExpressionScope.bindings(state, { actual, args: open.params, key: open.key ?? "", observed: null })
  const [planned, found] = [version.planned, version.actual].map((each) => Expression.evaluate(each, scope))
  if (planned === undefined || found === undefined || Result.isFailure(planned)) return false
  if (planned.success === null) return false
  const shown = Result.isSuccess(found) ? found.success : null
  return Canonical.encode(planned.success) === Canonical.encode(shown) ? false : [planned.success, shown]
}
