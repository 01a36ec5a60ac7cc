/**
 * The decision on a record that does not meet the contract. It is read again within its time, then classified, and
 * answered by the recovery table (L9).
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { Outcome } from "@backstitch/trace/Transition"
import { type ActionInFlight, after, readRequestOf } from "../action/ActionInFlight.ts"
import { isExecuting, window } from "../action/verificationWindow.ts"
import type { Said } from "../decision/CommitContent.ts"
import { type Decision, end, go, wait } from "../decision/Decision.ts"
import { readOf, recordOf, shownBy } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as Undo from "../undo/Undo.ts"
import * as UndoStop from "../undo/UndoStop.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { failed, isReportable, settle, undoingOf, unverified } from "./actionSettlement.ts"
import { again } from "./sendAgain.ts"

interface Shown {
  readonly confirmation: Confirmation.Confirmation
  readonly noted: ReadFacts
}

/** The facts of a read beside its evidence. */
export type ReadFacts = Pick<Payload.Of<"action.verified">, "concluded" | "source">

type Reading = Pick<Payload.Of<"recovery.decided">, "from" | "output" | "read" | "reason" | "sources">

/**
 * Reads a record again until it meets the contract or its time is over. Then the discrepancy is classified, and the
 * recovery table answers (L9).
 */
export const mismatched = (subject: ActionInFlight, about: Shown & { readonly isStrong: boolean }): Decision => {
  const { confirmation, isStrong, noted } = about
  const { doubt } = confirmation
  const { evidence, predicates, scoping } = Confirmation.telling(confirmation)
  const { contract, terms } = subject
  const { deadline, poll, since, until } = window(subject, evidence)
  const read = { doubt, evidence, predicates, scoping, isStrong, until }
  const recovery = Recovery.ofReadback(subject, read)
  if (terms.now < until && !Recovery.isGrave(recovery)) {
    const next = Math.min(terms.now < deadline ? deadline : until, Backoff.next(poll, { since, now: terms.now }))
    return awaited(subject, { confirmation, recovery, noted, next })
  }
  const { strong } = contract.readback ?? {}
  if (recovery.decision.action === "force_strong_read" && strong !== undefined) {
    const data = { ...Recovery.toData(recovery), ...readingOf(confirmation), ...noted, via: "readback" } as const
    const request = { ...readRequestOf(subject), source: strong.source }
    const content = { noted: Recovery.toContent(subject, recovery, data) }
    return go({ _tag: "ReadBack", request }, content)
  }
  return answered(subject, { confirmation, noted, recovery })
}

/** Decides a discrepancy by the recovery table, once no better evidence can come. */
const answered = (subject: ActionInFlight, about: Shown & { readonly recovery: Recovery.Recovery }): Decision => {
  const { confirmation, noted, recovery } = about
  const { evidence } = Confirmation.telling(confirmation)
  const { contract, id, open, state, terms } = subject
  const { action } = recovery.decision
  const unmet = unmetOf(confirmation, recovery)
  const verified = verdict(subject, { ...about, unmet })
  const said = { executing: isExecuting(subject), tool: contract.name, unmet }
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined && !patient.has(action)) {
    return UndoStop.stop(terms, plan, {
      undoes: open.undoes,
      why: Finding.make("reversal.unmet", said),
      before: { verified }
    })
  }
  const actual = recordOf(evidence)
  const undoing = undoingOf(subject, { recovery, actual, unmet })
  const decided = Recovery.toContent(subject, recovery, undoing)
  const content = { verified, recovery: decided }
  if (undoing.plan !== undefined) return Undo.begun(undoing.turns, content)
  if (action === "mark_dirty") {
    const error = Finding.make("failure.found", Recovery.toArgs(recovery))
    return failed(subject, { error, basis: "readback", before: content })
  }
  if (action === "retry_same_key") {
    const next = again(after(subject), decided)
    return { ...next, content: { ...next.content, verified } }
  }
  if (action === "record_replay") {
    const data = { ...Recovery.toData(recovery), ...readingOf(confirmation), ...noted, via: "readback" } as const
    const before = { recovery: Recovery.toContent(subject, recovery, data) }
    return settle(subject, { basis: "readback", output: actual, before, trust: confirmation.trust })
  }
  if (isReportable(subject, action)) {
    return unverified(subject, { ...content, verified: asHint(verified) })
  }
  const blocks = (undoing.blocks ?? []).map(({ why }) => why)
  const why = Finding.make("outcome.unmet", {
    ...said,
    ...Recovery.toArgs(recovery),
    ...(blocks.length === 0 ? {} : { blocks }),
    frozen: RecoveryAction.needsPerson(action)
  })
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, content)
}

/** Commits a read, and the expectations that the record does not meet. */
const verdict = (
  { id }: ActionInFlight,
  about: Shown & { readonly recovery: Recovery.Recovery; readonly unmet: ReadonlyArray<Finding.Finding> }
): Said<"action.verified"> => {
  const { confirmation, noted, recovery, unmet } = about
  return {
    action: { id },
    data: {
      ...Recovery.toData(recovery),
      ...readOf(confirmation.readings[0].evidence),
      ...Confirmation.toData(confirmation),
      ...noted,
      unmet
    },
    result: contradiction(confirmation)
  }
}

/** Reads again a record that may still show the effect, and commits the first read (row 1 of Action Verification). */
const awaited = (
  subject: ActionInFlight,
  about: {
    readonly confirmation: Confirmation.Confirmation
    readonly recovery: Recovery.Recovery
    readonly noted: ReadFacts
    readonly next: number
  }
): Decision => {
  const { confirmation, next, noted, recovery } = about
  const isNews = recovery.decision.action === "retry_verification" && subject.open.awaited !== true
  if (!isNews) return wait(subject.id, next)
  const data = {
    ...Recovery.toData(recovery),
    ...readingOf(confirmation),
    ...noted,
    awaits: true,
    via: "readback"
  } as const
  return { ...wait(subject.id, next), content: { recovery: Recovery.toContent(subject, recovery, data) } }
}

/** Turns a verdict that proves nothing into a hint: evidence of a read, without a state of the target. */
const asHint = (verified: Said<"action.verified">): Said<"action.verified"> => {
  const { data, result } = verified
  return result === undefined
    ? verified
    : { ...verified, data: { ...data, output: result.output ?? null }, result: { ...result, output: null } }
}

/** Lists the evidence of the first source, so that the decision can be made again from the trace. */
const readingOf = (confirmation: Confirmation.Confirmation): Reading => {
  const { evidence } = confirmation.readings[0]
  return { ...shownBy(evidence), ...Confirmation.toData(confirmation) }
}

/** Recovery actions after which the effect may still be confirmed: waiting, or sending again under the same key. */
const patient: ReadonlySet<RecoveryAction.RecoveryAction> = new Set<RecoveryAction.RecoveryAction>([
  "force_strong_read",
  "hold_pending",
  "poll_key_record",
  "retry_same_key",
  "retry_verification"
])

/** Lists the findings against a record. */
export const unmetOf = (
  { doubt, readings }: Confirmation.Confirmation,
  recovery: Recovery.Recovery
): ReadonlyArray<Finding.Finding> => {
  if (doubt !== undefined) return [doubt.reason]
  const unmet = readings.flatMap(({ evidence, predicates }) =>
    evidence._tag === "Ok"
      ? predicates.flatMap(({ held, says }) => (held === true ? [] : [says]))
      : [unread[evidence._tag]]
  )
  return unmet.length > 0
    ? unmet
    : recovery.discrepancy.evidence.map(({ expected, fact, found }) =>
        Finding.make("record.differs", { expected, fact, found })
      )
}

/**
 * Makes the outcome of a verdict. A record can contradict the answer; a read that failed, lags or came too early
 * leaves the outcome unknown.
 */
export const contradiction = ({ doubt, readings }: Confirmation.Confirmation): Outcome => {
  const [{ evidence }] = readings
  const shows = readings.every((each) => each.evidence._tag === "Ok" || each.evidence._tag === "NotFound")
  return {
    output: recordOf(evidence),
    status: shows && doubt === undefined ? "mismatch" : "unknown",
    trust: Trust.of("word")
  }
}

const unread = {
  Accepted: Finding.make("record.under_way", {}),
  NotFound: Finding.make("record.not_found", {}),
  Pending: Finding.make("record.under_way", {}),
  Error: Finding.make("record.refused", {}),
  Unknown: Finding.make("record.unread", {})
} as const
