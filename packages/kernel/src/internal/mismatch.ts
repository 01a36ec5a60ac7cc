/**
 * What a record that does not meet the contract comes to: waited for within its time, then named, and answered by the
 * table (L9).
 *
 * @since 0.1.0
 */
import * as Polling from "@backstitch/contracts/Polling"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Draft } from "@backstitch/trace/Transition"
import * as Confirmation from "../Confirmation.ts"
import { type Decision, end } from "../Decision.ts"
import * as Finding from "../Finding.ts"
import * as Recovery from "../Recovery.ts"
import * as Terms from "../Terms.ts"
import * as Undo from "../Undo.ts"
import { wait } from "./continuation.ts"
import { contradiction, unmetOf } from "./contradiction.ts"
import { readOf } from "./evidence.ts"
import { again } from "./resending.ts"
import { failed, isReportable, readRequestOf, settle, undoingOf, unverified } from "./settlement.ts"
import { isExecuting, window } from "./timeout.ts"

type Subject = Recovery.Subject

interface Shown {
  readonly confirmation: Confirmation.Confirmation
  readonly noted: JsonObject
}

/** What does not meet the contract is waited for within its time, then named, and answered by the table (L9). */
export const mismatched = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  about: Shown & { readonly isStrong: boolean }
): Decision => {
  const { confirmation, isStrong, noted } = about
  const { doubt } = confirmation
  const { evidence, predicates, scoping } = Confirmation.telling(confirmation)
  const { contract, id } = subject
  const { deadline, poll, since, until } = window(terms, subject, evidence)
  const read = { doubt, evidence, predicates, scoping, isStrong, until }
  const recovery = Recovery.ofReadback(terms, state, subject, read)
  if (terms.now < until && !Recovery.isGrave(recovery)) {
    const next = Math.min(terms.now < deadline ? deadline : until, Polling.next(poll, { since, now: terms.now }))
    return awaited(terms, subject, { confirmation, recovery, noted, next })
  }
  const { strong } = contract.readback ?? {}
  if (recovery.decision.action === "force_strong_read" && strong !== undefined) {
    const data = { ...Recovery.toData(recovery), ...firstOf(confirmation), ...noted, via: "readback" }
    const request = { ...readRequestOf(terms, subject), source: strong.source }
    return { drafts: [Recovery.draft(terms, id, recovery, data)], flush: "later", next: { _tag: "ReadBack", request } }
  }
  return answered(terms, state, subject, { confirmation, noted, recovery })
}

/** Nothing better is to come: what was read is on record, and the table has an answer. */
const answered = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  about: Shown & { readonly recovery: Recovery.Recovery }
): Decision => {
  const { confirmation, noted, recovery } = about
  const { evidence } = Confirmation.telling(confirmation)
  const { contract, id, open } = subject
  const { action } = recovery.decision
  const unmet = unmetOf(confirmation, recovery)
  const verified = verdict(terms, subject, { ...about, unmet })
  const said = { executing: isExecuting(subject), tool: contract.name, unmet }
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined && !patient.has(action)) {
    return Undo.stop(terms, plan, {
      undoes: open.undoes,
      why: Finding.make("reversal.unmet", said),
      before: [verified]
    })
  }
  const actual = evidence._tag === "Ok" ? evidence.output : null
  const undoing = undoingOf(terms, state, subject, { recovery, actual, unmet })
  const decided = Recovery.draft(terms, id, recovery, undoing)
  const drafts = [verified, decided]
  if (undoing.plan !== undefined) return Undo.begun(undoing.turns, drafts)
  if (action === "mark_dirty") {
    const error = Finding.make("failure.found", Recovery.toArgs(recovery))
    return failed(terms, state, subject, { error, basis: "readback", before: drafts })
  }
  if (action === "retry_same_key") {
    const next = again({ ...terms, tick: terms.tick + 1 }, state, subject, decided)
    return { ...next, drafts: [verified, ...next.drafts] }
  }
  if (action === "record_replay") {
    const data = { ...Recovery.toData(recovery), ...firstOf(confirmation), ...noted, via: "readback" }
    const before = [Recovery.draft(terms, id, recovery, data)]
    return settle(terms, state, subject, {
      basis: "readback",
      output: actual,
      before,
      at: 1,
      trust: confirmation.trust
    })
  }
  if (isReportable(subject, action)) {
    return unverified(terms, state, subject, [asHint(verified), ...drafts.slice(1)])
  }
  const blocks = (undoing.blocks ?? []).map(({ why }) => why)
  const why = Finding.make("outcome.unmet", {
    ...said,
    ...Recovery.toArgs(recovery),
    ...(blocks.length === 0 ? {} : { blocks }),
    frozen: RecoveryAction.needsPerson(action)
  })
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, drafts)
}

/** What was read, and what of the contract it does not meet. */
const verdict = (
  terms: Terms.Terms,
  { id }: Subject,
  about: Shown & { readonly recovery: Recovery.Recovery; readonly unmet: ReadonlyArray<Finding.Finding> }
): Draft => {
  const { confirmation, noted, recovery, unmet } = about
  return Terms.draft(terms, {
    action: { id },
    author: "kernel",
    data: {
      ...Recovery.toData(recovery),
      ...readOf(confirmation.readings[0].evidence),
      ...Confirmation.toData(confirmation),
      ...noted,
      unmet
    },
    result: contradiction(confirmation),
    type: "action.verified"
  })
}

/** What may still show is read again, later; that it did not show at first is on record once (row 1). */
const awaited = (
  terms: Terms.Terms,
  { id, open }: Subject,
  about: {
    readonly confirmation: Confirmation.Confirmation
    readonly recovery: Recovery.Recovery
    readonly noted: JsonObject
    readonly next: number
  }
): Decision => {
  const { confirmation, next, noted, recovery } = about
  const isNews = recovery.decision.action === "retry_verification" && open.awaited !== true
  if (!isNews) return wait(id, next)
  const data = { ...Recovery.toData(recovery), ...firstOf(confirmation), ...noted, awaits: true, via: "readback" }
  return { ...wait(id, next), drafts: [Recovery.draft(terms, id, recovery, data)] }
}

/** What proves nothing is evidence of what was read, and no state of the target: nothing follows from it. */
const asHint = ({ body, ...draft }: Draft): Draft => {
  const { data, result } = body
  return result === undefined
    ? { ...draft, body }
    : {
        ...draft,
        body: { ...body, data: { ...data, output: result.output ?? null }, result: { ...result, output: null } }
      }
}

/** What the first source showed, so that the decision can be made again from the trace. */
const firstOf = (confirmation: Confirmation.Confirmation): JsonObject => {
  const { evidence } = confirmation.readings[0]
  return {
    ...readOf(evidence),
    ...(evidence._tag === "Ok" ? { output: evidence.output } : {}),
    ...Confirmation.toData(confirmation)
  }
}

/** What may still turn out well: it is waited for, or sent again under the key that it had. */
const patient: ReadonlySet<RecoveryAction.RecoveryAction> = new Set<RecoveryAction.RecoveryAction>([
  "force_strong_read",
  "hold_pending",
  "poll_key_record",
  "retry_same_key",
  "retry_verification"
])
