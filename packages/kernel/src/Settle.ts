/**
 * From the answer of a tool to what may be believed, and from what a crash left open to its one continuation.
 *
 * | left open | continuation |
 * | --- | --- |
 * | requested, a read | call again |
 * | started or unknown, the tool can be asked | ask with the original key, then settle, send again under it, or wait |
 * | started or unknown, the tool honours keys | send again under the original key |
 * | started or unknown, neither | hold as unknown; once nobody can answer any more, a person finds out |
 * | accepted | ask with its key, else read back, else wait for its provider; never settled on the tool's word |
 * | left open in a local transaction | read from outside: done, rolled back, or held |
 * | answered, with a readback in the contract | read back and reconcile |
 * | answered, without one | settle on the tool's own word, at trust 1, which is never reported as success |
 *
 * "Not found" is believed only `settleAfter` after the last moment at which a
 * sender could have sent; nothing is sent again that could arrive after
 * `keyRetention`. An answer tells of the moment at which it was asked for. An
 * unknown outcome is neither success nor failure, and keeps its target (L7).
 *
 * @source DESIGN "The commit path", decisions 13 and 22
 * @since 0.1.0
 */

import * as Polling from "@backstitch/contracts/Polling"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Draft } from "@backstitch/trace/Transition"
import * as Acceptance from "./Acceptance.ts"
import type { Evidence, SourceEvidence } from "./Command.ts"
import * as Confirmation from "./Confirmation.ts"
import type { Decision } from "./Decision.ts"
import { end } from "./Decision.ts"
import * as Deepening from "./Deepening.ts"
import { go, held, wait } from "./internal/continuation.ts"
import { contradiction, unmetOf } from "./internal/contradiction.ts"
import { conforming, current, failureOf, readOf, resultDraft } from "./internal/evidence.ts"
import { again } from "./internal/resending.ts"
import {
  answeredWith,
  failed,
  gone,
  hold,
  prove,
  requestOf,
  settle,
  subjectOf,
  undoingOf
} from "./internal/settlement.ts"
import { asked } from "./internal/statusAnswer.ts"
import { surelySince, window } from "./internal/timeout.ts"
import * as Keying from "./Keying.ts"
import * as LocalTransaction from "./LocalTransaction.ts"
import * as ReadAnswer from "./ReadAnswer.ts"
import * as Recovery from "./Recovery.ts"
import * as Terms from "./Terms.ts"
import * as Undo from "./Undo.ts"

type Subject = Recovery.Subject

/**
 * Decides what an answer to a call, or to a question about a key, comes to.
 *
 * @category combinators
 * @since 0.1.0
 */
export const answered = (
  terms: Terms.Terms,
  state: State,
  command: {
    readonly action: string
    readonly via: "call" | "status"
    readonly evidence: Evidence
    readonly latencyMillis?: number | undefined
  }
): Decision => {
  const subject = subjectOf(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  const instead = Undo.instead(terms, state, subject)
  if (instead !== undefined) return instead
  if (subject.open.frozen === true) return frozen(terms, subject)
  const evidence = current(subject, { ...command, evidence: conforming(subject.contract, command.evidence) })
  if (!ToolContract.isMutating(subject.contract))
    return ReadAnswer.decide(terms, state, subject, { ...command, evidence })
  return command.via === "call"
    ? called(terms, state, subject, { ...command, evidence })
    : asked(terms, state, subject, { ...command, evidence })
}

/**
 * Decides what a read of the system of record comes to.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readBack = (
  terms: Terms.Terms,
  state: State,
  command: {
    readonly action: string
    readonly evidence: Evidence
    readonly others?: ReadonlyArray<SourceEvidence> | undefined
    readonly concluded?: LocalTransaction.Concluded | undefined
    readonly askedAt?: number | undefined
    readonly source?: string | undefined
  }
): Decision => {
  const subject = subjectOf(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  if (!ToolContract.isMutating(subject.contract)) return ReadAnswer.decide(terms, state, subject, command)
  const over = LocalTransaction.isHeld(subject) ? LocalTransaction.settled(terms, state, subject, command) : undefined
  if (over !== undefined) return over
  const instead = Undo.instead(terms, state, subject)
  if (instead !== undefined) return instead
  if (subject.open.frozen === true) return frozen(terms, subject)
  const { concluded } = command
  const confirmation = Confirmation.judge(terms, state, subject, command)
  const { evidence } = command
  const noted: JsonObject = concluded === undefined ? {} : { concluded }
  if (!confirmation.isConfirmed || evidence._tag !== "Ok") {
    return mismatched(terms, state, subject, { confirmation, noted })
  }
  const data = { ...Confirmation.toData(confirmation), ...noted }
  const verified = Terms.draft(terms, {
    action: { id: subject.id },
    author: "kernel",
    ...(Object.keys(data).length === 0 ? {} : { data }),
    result: { output: evidence.output, status: "ok", trust: 2 },
    type: "action.verified"
  })
  const { trust } = confirmation
  return settle(terms, state, subject, { basis: "readback", output: evidence.output, before: [verified], at: 1, trust })
}

/** What does not meet the contract is waited for within its time, then named, and answered by the table (L9). */
const mismatched = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  { confirmation, noted }: { readonly confirmation: Confirmation.Confirmation; readonly noted: JsonObject }
): Decision => {
  const { doubt } = confirmation
  const { evidence, predicates, scoping } = Confirmation.telling(confirmation)
  const { contract, id, open } = subject
  const { deadline, poll, since, until } = window(terms, state, subject, evidence)
  const recovery = Recovery.ofReadback(terms, state, subject, { doubt, evidence, predicates, scoping, until })
  if (terms.now < until && !Recovery.isGrave(recovery)) {
    return wait(id, Math.min(terms.now < deadline ? deadline : until, Polling.next(poll, { since, now: terms.now })))
  }
  const unmet = unmetOf(confirmation, recovery)
  const verified = Terms.draft(terms, {
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
  const { action } = recovery.decision
  const { next, why } = Recovery.told(recovery)
  const plan = UndoPlan.open(state)
  if (open.undoes !== undefined && plan !== undefined && !patient.has(action)) {
    const failure = {
      undoes: open.undoes,
      why: `${contract.name} answered, but ${unmet.join("; ")}`,
      before: [verified]
    }
    return Undo.stop(terms, plan, failure)
  }
  const actual = evidence._tag === "Ok" ? evidence.output : null
  const undoing = undoingOf(terms, state, subject, { recovery, actual, why: unmet.join("; ") })
  const drafts = [verified, Recovery.draft(terms, id, recovery, undoing)]
  if (undoing.plan !== undefined) return { drafts, flush: "now", next: { _tag: "Compensate" } }
  if (action === "mark_dirty") {
    return failed(terms, state, subject, { error: why, basis: "readback", before: drafts })
  }
  if (recovery.decision.action === "retry_same_key") {
    const next = again({ ...terms, tick: terms.tick + drafts.length }, subject)
    return { ...next, drafts: [...drafts, ...next.drafts] }
  }
  const blocked = (undoing.blocks ?? []).map(({ because }) => `; ${because}`)
  const isPersons = RecoveryAction.needsPerson(action) && Deepening.binds(state)
  return end(
    {
      _tag: "Held",
      tick: terms.tick,
      action: id,
      why: `${contract.name} answered, but ${unmet.join("; ")}: ${why}${blocked.join("")}`,
      next: isPersons ? next : `${next}; \`backstitch resume\` reads it back again`
    },
    drafts
  )
}

/**
 * Decides how to go on with an action that was left open.
 *
 * @category combinators
 * @since 0.1.0
 */
export const recover = (terms: Terms.Terms, state: State, command: { readonly action: string }): Decision => {
  const subject = subjectOf(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  const { contract, open } = subject
  const instead = Undo.instead(terms, state, subject)
  if (instead !== undefined) return instead
  // What it left open ended with its process: whether it was committed is read.
  const isLeftOpen = open.phase !== "requested" && LocalTransaction.isHeld(subject)
  if (open.frozen === true && !(isLeftOpen && open.phase !== "verified")) return frozen(terms, subject)
  if (isLeftOpen) return prove(terms, state, subject)
  switch (open.phase) {
    case "requested":
      return ToolContract.isMutating(contract)
        ? drop(terms, subject)
        : go({ _tag: "Call", request: requestOf(terms, subject) })
    case "answered":
    case "verified":
      return open.accepted === true ? processing(terms, state, subject) : prove(terms, state, subject)
    case "started":
    case "unknown":
      return contract.status === "by_key"
        ? go({ _tag: "Ask", request: requestOf(terms, subject) })
        : contract.idempotency === "idempotent_write" && open.key !== undefined
          ? again(terms, subject)
          : lost(terms, state, subject)
  }
}

/** Nobody can find out what it did: a person has to, as soon as its sender can hear no answer any more (row 8). */
const lost = (terms: Terms.Terms, state: State, subject: Subject): Decision => {
  const { contract, id, open } = subject
  const why = "it can be neither asked about nor sent again"
  const heard = (open.startedAt ?? terms.now) + 2 * Keying.sendWithinOf(contract)
  const mayAnswer = open.phase === "started" && surelySince(terms, open) < heard
  if (mayAnswer || !Deepening.binds(state)) return hold(terms, subject, why)
  const recovery = Recovery.ofLost(terms, state, subject, why)
  const held = hold({ ...terms, tick: terms.tick + 1 }, subject, why, Recovery.told(recovery).next)
  const data = { ...Recovery.toData(recovery), read: "Unknown", reason: why, via: "silence" }
  return { ...held, drafts: [Recovery.draft(terms, id, recovery, data)] }
}

const called = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  command: { readonly evidence: Evidence; readonly latencyMillis?: number | undefined }
): Decision => {
  const { evidence } = command
  // A refusal attests that nothing happened, in a transaction as well.
  if (LocalTransaction.isHeld(subject) && evidence._tag !== "Error") {
    return LocalTransaction.opened(terms, state, subject, command)
  }
  switch (evidence._tag) {
    case "Ok": {
      const result = resultDraft(terms, subject.id, { output: evidence.output, status: "ok", trust: 1 }, command)
      return prove(terms, state, answeredWith(subject, evidence.output), [result])
    }
    case "Accepted": {
      const result = Acceptance.draft(terms, subject, { ...command, evidence })
      const taken = answeredWith(subject, evidence.output, true)
      return processing({ ...terms, tick: terms.tick + 1 }, state, taken, [result])
    }
    case "Error": {
      const result = resultDraft(terms, subject.id, { output: evidence.error, status: "error", trust: 1 }, command)
      return failed(terms, state, subject, { error: evidence.error, basis: "attested", before: [result] })
    }
    default: {
      const output = failureOf(evidence)
      const result = resultDraft(terms, subject.id, { output, status: "unknown", trust: 0 }, command)
      const unknown = { ...subject, open: { ...subject.open, phase: "unknown" as const } }
      const next = recover({ ...terms, tick: terms.tick + 1 }, patched(state, unknown), { action: subject.id })
      return { ...next, drafts: [result, ...next.drafts], flush: "now" }
    }
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

/** What was accepted is verified by its schedule; nobody's word makes it done. */
const processing = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  drafts: ReadonlyArray<Draft> = []
): Decision => {
  const by = Acceptance.wayOf(subject.contract)
  if (by === "readback") return prove(terms, state, subject, drafts)
  if (by === "status") return { drafts, flush: "later", next: { _tag: "Ask", request: requestOf(terms, subject) } }
  const held = Acceptance.held(terms, state, subject)
  return { ...held, drafts: [...drafts, ...held.drafts] }
}

/** What a person has to decide is not touched before they have. */
const frozen = (terms: Terms.Terms, { contract, id }: Subject): Decision =>
  held(
    terms,
    id,
    `a person decides about ${contract.name} (${id}): nothing is asked, sent or believed of it before`,
    `\`backstitch resolve ${terms.run.id} ${id}\` settles it, or has it verified again with --as reopened`
  )

/** Without `action.started` no effect can have begun: the intent ends here, on the record. */
const drop = (terms: Terms.Terms, { contract, id, open }: Subject): Decision => {
  const reason = `${contract.name} (${id}) was never started, so nothing happened`
  const data = { params: open.params, proposed: "action.request", reason, tool: contract.name }
  return end({ _tag: "Refused", tick: terms.tick, reason, checks: [] }, [
    Terms.draft(terms, { action: { id }, author: "kernel", data, type: "intent.refused" })
  ])
}

const patched = (state: State, { id, open }: Subject): State => ({
  ...state,
  kernel: { ...state.kernel, [OpenActions.part.name]: { ...OpenActions.of(state), [id]: open } }
})
