/**
 * From the answer of a tool to what may be believed, and from what a crash left open to its one continuation.
 *
 * | left open | continuation |
 * | --- | --- |
 * | requested, a read | call again |
 * | started or unknown, the tool can be asked | ask with the original key, then settle, send again under it, or wait |
 * | started or unknown, the tool honours keys | send again under the original key |
 * | started or unknown, neither | hold as unknown |
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
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Draft } from "@backstitch/trace/Transition"
import * as Acceptance from "./Acceptance.ts"
import type { Evidence, SourceEvidence } from "./Command.ts"
import * as Confirmation from "./Confirmation.ts"
import type { Decision, Next } from "./Decision.ts"
import { end } from "./Decision.ts"
import * as Deepening from "./Deepening.ts"
import { contradiction, unmetOf } from "./internal/contradiction.ts"
import { conforming, current, failureOf, readOf, resultDraft } from "./internal/evidence.ts"
import { failed, gone, requestOf, settle, subjectOf } from "./internal/settlement.ts"
import { surelySince, window } from "./internal/timeout.ts"
import * as Keying from "./Keying.ts"
import * as LocalTransaction from "./LocalTransaction.ts"
import * as ReadAnswer from "./ReadAnswer.ts"
import * as Recovery from "./Recovery.ts"
import * as Scoping from "./Scoping.ts"
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
    readonly source?: string | undefined
  }
): Decision => {
  const subject = subjectOf(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  if (!ToolContract.isMutating(subject.contract)) return ReadAnswer.decide(terms, state, subject, command)
  const over = LocalTransaction.isHeld(subject) ? LocalTransaction.settled(terms, state, subject, command) : undefined
  if (over !== undefined) return over
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
          : hold(terms, subject, "it can be neither asked about nor sent again")
  }
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

/** The system of record was asked about the key. */
const asked = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  { askedAt = terms.now, evidence }: { readonly evidence: Evidence; readonly askedAt?: number | undefined }
): Decision => {
  const unsettled = (proven: boolean, why: string) => unanswered(terms, state, subject, { evidence, proven, why })
  const { contract, id, open } = subject
  switch (evidence._tag) {
    case "Ok": {
      const scoping = Scoping.of(terms, state, subject, evidence.output)
      if (Scoping.strays(scoping)) return astray(terms, state, subject, { evidence, scoping })
      const result = Terms.draft(terms, {
        action: { id },
        author: "kernel",
        result: { basis: "status", output: evidence.output, status: "ok", trust: 2 },
        type: "action.result"
      })
      return prove(terms, state, answeredWith(subject, evidence.output), [result], "status")
    }
    case "Error": {
      const result = Terms.draft(terms, {
        action: { id },
        author: "kernel",
        result: { basis: "status", output: evidence.error, status: "error", trust: 2 },
        type: "action.result"
      })
      return failed(terms, state, subject, { error: evidence.error, basis: "status", before: [result] })
    }
    case "NotFound": {
      if (!ToolContract.canBeAsked(contract)) return unsettled(false, "not found proves nothing without its times")
      const { sendWithinMillis = 0, settleAfterMillis = 0 } = contract.times
      const proven = (open.startedAt ?? terms.now) + sendWithinMillis + settleAfterMillis
      const left = proven - surelySince(terms, open)
      if (left > 0) {
        const until = terms.now + left
        return contract.asking.poll === undefined ? wait(id, until) : later(terms, subject, until)!
      }
      // An answer tells of the moment of its question, however long it was under way or its reader paused.
      if (Terms.surely(terms, open.startedAt ?? terms.now, askedAt) < proven)
        return go({ _tag: "Ask", request: requestOf(terms, subject) })
      const stop = blind(terms, subject)
      return stop === undefined ? again(terms, subject) : unsettled(true, stop)
    }
    case "Accepted":
    case "Pending":
      return later(terms, subject) ?? unsettled(false, "the system of record says that it is still under way")
    case "Unknown": {
      // Without a deadline in the contract, an operator is told at once.
      const again = contract.asking.withinMillis === undefined ? undefined : later(terms, subject)
      return again ?? unsettled(false, `the system of record could not be asked: ${evidence.reason}`)
    }
  }
}

/** The record of the key tells of somebody else's resource: nothing is believed, nothing is sent, a person looks. */
const astray = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  { evidence, scoping }: { readonly evidence: Evidence; readonly scoping: Scoping.Scoping }
): Decision => {
  const recovery = Recovery.ofReadback(terms, state, subject, { evidence, predicates: [], scoping, until: terms.now })
  const output = evidence._tag === "Ok" ? { output: evidence.output } : {}
  const data = { ...Recovery.toData(recovery), ...readOf(evidence), ...output, via: "status" }
  const { next, why } = Recovery.told(recovery)
  const held = hold({ ...terms, tick: terms.tick + 1 }, subject, why, next)
  return { ...held, drafts: [Recovery.draft(terms, subject.id, recovery, data)] }
}

/** The next moment at which to ask, if there is one before the time is up. */
const later = (terms: Terms.Terms, { contract, id, open }: Subject, until?: number): Decision | undefined => {
  const { poll = Polling.standard, withinMillis = 10 * (contract.times.settleAfterMillis ?? 6000) } = contract.asking
  const since = open.startedAt ?? terms.now
  const end = until ?? since + withinMillis + terms.now - Terms.surely(terms, since)
  return terms.now < end ? wait(id, Math.min(end, Polling.next(poll, { since, now: terms.now }))) : undefined
}

/** An answer that settles nothing holds the action, and the table says what has to happen. */
const unanswered = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  { evidence, proven, why }: { readonly evidence: Evidence; readonly proven: boolean; readonly why: string }
): Decision => {
  const recovery = Recovery.ofStatus(terms, state, subject, { evidence, proven })
  const undoing = undoingOf(terms, state, subject, { recovery, actual: null, why })
  const data = { ...Recovery.toData(recovery), ...readOf(evidence), ...undoing, via: "status" }
  if (undoing.plan !== undefined) {
    return { drafts: [Recovery.draft(terms, subject.id, recovery, data)], flush: "now", next: { _tag: "Compensate" } }
  }
  const held = hold({ ...terms, tick: terms.tick + 1 }, subject, why, Recovery.told(recovery).next)
  return { ...held, drafts: [Recovery.draft(terms, subject.id, recovery, data)] }
}

/** The plan that the table asks for, if it asks for one, or what stands in its way. */
const undoingOf = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  about: { readonly recovery: Recovery.Recovery; readonly actual: Json; readonly why: string }
): Undo.Answer =>
  RecoveryAction.definition(about.recovery.decision.action).sends === "a reversal"
    ? Undo.ofRecovery(terms, state, subject, {
        actual: about.actual,
        because: `${subject.contract.name} ${subject.id}: ${about.why}`
      })
    : {}

/** Why sending again under the key would be blind, if it would. */
const blind = (terms: Terms.Terms, { contract, open }: Subject): string | undefined => {
  if (open.adopted === true) return "another run did it, and nothing is sent from here"
  if ((open.attempts ?? 1) >= Recovery.sendsMax) return `it was sent ${open.attempts} times without an answer`
  const retention = contract.times.keyRetentionMillis
  // It may leave until `sendWithin` and arrive until `settleAfter`: the key has to be honoured then.
  const arrives = terms.now + Keying.sendWithinOf(contract) + (contract.times.settleAfterMillis ?? 0)
  return retention === undefined || arrives > (open.firstAt ?? open.startedAt ?? 0) + retention
    ? "its key is no longer honoured, so it cannot be sent again"
    : undefined
}

/** Sends again under the original key, as long as the key is honoured; the new attempt is durable first. */
const again = (terms: Terms.Terms, subject: Subject): Decision => {
  const { id, open } = subject
  const stop = blind(terms, subject)
  if (stop !== undefined) return hold(terms, subject, stop)
  const action = {
    id,
    ...(open.requestHash === undefined ? {} : { requestHash: open.requestHash as Digest }),
    ...(open.target === undefined ? {} : { target: open.target })
  }
  return {
    drafts: [
      Terms.draft(
        terms,
        { action, author: "kernel", type: "action.started" },
        {
          stamp: open.key === undefined ? {} : { key: open.key }
        }
      )
    ],
    flush: "now",
    next: { _tag: isLookedAt(subject) ? "ReadBefore" : "Call", request: requestOf(terms, subject) }
  }
}

/** What is there is looked at again where the key has done nothing: else it may be what the first attempt did. */
const isLookedAt = ({ contract, open }: Subject): boolean =>
  open.undoes !== undefined || (contract.status === "by_key" && contract.readback?.before !== undefined)

/** What may still turn out well: it is waited for, or sent again under the key that it had. */
const patient: ReadonlySet<RecoveryAction.RecoveryAction> = new Set<RecoveryAction.RecoveryAction>([
  "force_strong_read",
  "hold_pending",
  "poll_key_record",
  "retry_same_key",
  "retry_verification"
])

/** What was answered is evidence: it is read back where the contract says how, else it stays the tool's word. */
const prove = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  drafts: ReadonlyArray<Draft> = [],
  basis: "attested" | "status" = "attested"
): Decision => {
  const { contract, open } = subject
  if (contract.readback !== undefined) {
    const sources = contract.readback.sources.map(({ source }) => source)
    const request = { ...requestOf(terms, subject), ...(sources.length === 0 ? {} : { sources }) }
    return { drafts, flush: "later", next: { _tag: "ReadBack", request } }
  }
  return settle(terms, state, subject, { basis, output: open.observed ?? null, before: drafts, at: drafts.length })
}

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

const hold = (terms: Terms.Terms, { contract, id, open }: Subject, why: string, table = "resume later"): Decision =>
  end({
    _tag: "Held",
    tick: Terms.standsAt(terms),
    action: id,
    why: `the outcome of ${contract.name} is unknown: ${why}`,
    next: `${open.target === undefined ? "it" : `its target ${open.target}`} stays claimed; ${table}, or look at the system of record`
  })

/** What a person has to decide is not touched before they have. */
const frozen = (terms: Terms.Terms, { contract, id }: Subject): Decision =>
  end({
    _tag: "Held",
    tick: Terms.standsAt(terms),
    action: id,
    why: `a person decides about ${contract.name} (${id}): nothing is asked, sent or believed of it before`,
    next: `\`backstitch resolve ${terms.run.id} ${id}\` settles it, or has it verified again with --as reopened`
  })

/** Without `action.started` no effect can have begun: the intent ends here, on the record. */
const drop = (terms: Terms.Terms, { contract, id, open }: Subject): Decision => {
  const reason = `${contract.name} (${id}) was never started, so nothing happened`
  const data = { params: open.params, proposed: "action.request", reason, tool: contract.name }
  return end({ _tag: "Refused", tick: terms.tick, reason, checks: [] }, [
    Terms.draft(terms, { action: { id }, author: "kernel", data, type: "intent.refused" })
  ])
}

const go = (next: Next): Decision => ({ drafts: [], flush: "later", next })

const wait = (action: string, untilMillis: number): Decision => go({ _tag: "Wait", action, untilMillis })

const answeredWith = (subject: Subject, observed: Json, accepted?: true): Subject => ({
  ...subject,
  open: { ...subject.open, accepted, observed, phase: "answered" }
})

const patched = (state: State, { id, open }: Subject): State => ({
  ...state,
  kernel: { ...state.kernel, [OpenActions.part.name]: { ...OpenActions.of(state), [id]: open } }
})
