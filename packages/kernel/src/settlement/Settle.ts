/**
 * Settles actions: from an answer to a belief, and after a crash by the one continuation that each action has.
 *
 * | left open | continuation |
 * | --- | --- |
 * | requested, a read | call again |
 * | started or unknown, the tool can be asked | ask with the original key, then settle, send again under it, or wait |
 * | started or unknown, the tool honours keys | send again under the original key |
 * | started or unknown, neither | waits until no answer can come; then read if the record shows its owner, else held |
 * | deferred | read the record again, and only then send |
 * | a reversal that is sent again | ask again about its original, and only then send |
 * | did not happen, by a person's word | send again, under its key or the next generation of it |
 * | accepted | ask with its key, else read back, else wait for its provider; never settled on the tool's word |
 * | left open in a local transaction | read from outside: done, rolled back, or held |
 * | answered, with a readback in the contract | read back and reconcile |
 * | answered, without one | settle on the tool's own word, at trust 1, which is never reported as success |
 * | answered, without one, high-risk class | ask with its key; held, unless the contract names who accepts the word |
 *
 * "Not found" is believed once `settleAfter` has passed since the last moment at which anybody could have sent. A
 * request that could arrive after `keyRetention` is not sent again. An answer describes the moment at which it was
 * asked for. Whether its key is forgotten is judged by the moment at which the answer came. An unknown outcome is
 * neither success nor failure, and keeps its target (L7).
 *
 * @source docs/ARCHITECTURE.md, "The life of a mutation", decisions 0036 and 0043
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import {
  type ActionInFlight,
  after,
  answeredWith,
  findAction,
  readRequestOf,
  requestOf,
  strongOf
} from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import { attempt } from "../action/attempt.ts"
import { canBeReopened } from "../action/possibleVerdicts.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import { isExecuting } from "../action/verificationWindow.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end, go, gone, held, wait } from "../decision/Decision.ts"
import type { Concluded, Evidence, SourceEvidence } from "../decision/Evidence.ts"
import { failureOf, shownBy } from "../decision/Evidence.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import { hold } from "../recovery/hold.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as UndoStep from "../undo/UndoStep.ts"
import * as UndoProgress from "../undo/undoProgress.ts"
import * as Attribution from "../verification/Attribution.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import { answerOf, conforming, current, toldBy } from "../verification/toolAnswer.ts"
import * as AcceptedRequest from "./AcceptedRequest.ts"
import { failed, prove, settle } from "./actionSettlement.ts"
import * as LocalTransaction from "./LocalTransaction.ts"
import * as ReadFallback from "./ReadFallback.ts"
import { mismatched, type ReadFacts } from "./readbackMismatch.ts"
import { again } from "./sendAgain.ts"
import { decideOnStatus } from "./statusAnswer.ts"

/** Decides on an answer to a call, or to a status question. */
export const answered = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly action: string
    readonly via: "call" | "status"
    readonly evidence: Evidence
    readonly latencyMillis?: number | undefined
  }
): Decision => {
  const subject = findAction(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  const instead = UndoProgress.byOpenPlan(subject)
  if (instead !== undefined) return instead
  const evidence = current(subject.open, { ...command, evidence: conforming(subject.contract, command.evidence) })
  if (OpenAction.isFrozen(subject.open)) {
    return command.via === "call" ? kept(subject, evidence) : frozen(subject)
  }
  if (!ToolContract.isMutating(subject.contract)) return ReadFallback.decide(subject, { ...command, evidence })
  return command.via === "call"
    ? called(subject, { ...command, evidence })
    : decideOnStatus(subject, { ...command, evidence })
}

/** Decides a read of the system of record. */
export const readBack = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly action: string
    readonly evidence: Evidence
    readonly others?: ReadonlyArray<SourceEvidence> | undefined
    readonly concluded?: Concluded | undefined
    readonly askedAt?: number | undefined
    readonly source?: string | undefined
  }
): Decision => {
  const subject = findAction(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  if (!ToolContract.isMutating(subject.contract)) return ReadFallback.decide(subject, command)
  const isLooked =
    LocalTransaction.isHeld(subject) && (!OpenAction.isFrozen(subject.open) || LocalTransaction.isUnseen(subject))
  const over = isLooked ? LocalTransaction.settled(subject, command) : undefined
  if (over !== undefined) return over
  const instead = UndoProgress.byOpenPlan(subject)
  if (instead !== undefined) return instead
  if (OpenAction.isFrozen(subject.open)) return frozen(subject)
  const { concluded } = command
  const { evidence, source } = command
  if (isUnheard(subject) && evidence._tag === "Ok" && !Attribution.isOwn(subject, evidence.output)) {
    return lost(subject, Finding.make("record.not_own", {}), { evidence, source })
  }
  const isStrong = source !== undefined && source === subject.contract.readback?.strong?.source
  const confirmation = Confirmation.judge(subject, { ...command, isStrong })
  const noted: ReadFacts = { ...(concluded === undefined ? {} : { concluded }), ...(isStrong ? { source } : {}) }
  if (!confirmation.isConfirmed || evidence._tag !== "Ok") {
    return mismatched(subject, { confirmation, noted, isStrong })
  }
  const data = { ...Confirmation.toData(confirmation), ...noted }
  const verified: CommitContent.Said<"action.verified"> = {
    action: { id: subject.id },
    ...(Object.keys(data).length === 0 ? {} : { data }),
    result: { output: evidence.output, status: "ok", trust: Trust.of("record") }
  }
  const { trust } = confirmation
  return settle(subject, { basis: "readback", output: evidence.output, before: { verified }, trust })
}

/** Decides how to continue an action that was left open. */
export const recover = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: { readonly action: string }
): Decision => {
  const subject = findAction(terms, state, command.action)
  if (subject === undefined) return gone(terms, command.action)
  const { contract, open } = subject
  const instead = UndoProgress.byOpenPlan(subject)
  if (instead !== undefined) return instead
  // The open transaction ended with its process. A read shows whether it was committed.
  const isBegun = OpenAction.isBegun(open) && open.deferred !== true
  const isLeftOpen = isBegun && LocalTransaction.isHeld(subject) && open.resend !== true
  if (OpenAction.isFrozen(open) && !(isLeftOpen && LocalTransaction.isUnseen(subject))) return frozen(subject)
  if (isLeftOpen) return prove(subject)
  if (UndoStep.isDue(open)) return UndoStep.again(subject)
  if (open.resend === true) return resent(subject)
  if (open.deferred === true) return attempt(subject, { isLookedAt: true, key: open.key })
  if (!OpenAction.isBegun(open)) {
    return ToolContract.isMutating(contract) ? drop(subject) : go({ _tag: "Call", request: requestOf(subject) })
  }
  if (OpenAction.isAnswered(open) || OpenAction.isRead(open)) {
    return OpenAction.isAccepted(open) ? processing(subject) : prove(subject)
  }
  return contract.status === "by_key"
    ? go({ _tag: "Ask", request: requestOf(subject) })
    : contract.idempotency === "idempotent_write" && open.key !== undefined
      ? repeated(subject)
      : unheard(subject)
}

/**
 * Sends again under the key. If that would be blind, a person has to find out its effect (row 8 of Action
 * Verification).
 */
const repeated = (subject: ActionInFlight): Decision => {
  const stop = SendingAgain.blind(subject)
  return stop === undefined ? again(subject) : lost(subject, stop)
}

/**
 * Waits for the sender of a call without status by key, as long as the sender can receive an answer. Afterwards a
 * record that shows the owner of its effect settles the action; otherwise it is left to a person.
 */
const unheard = (subject: ActionInFlight): Decision => {
  const { contract, id, open, terms } = subject
  const why = Finding.make("sending.no_way", {})
  const { startedAt = terms.now } = open
  const left = ArrivalWindow.left(terms, { startedAt, until: ArrivalWindow.answeredBy(contract, startedAt) })
  const mayAnswer = OpenAction.isInFlight(open) && left > 0
  if (mayAnswer) return wait(id, terms.now + left)
  return Attribution.canTell(subject)
    ? go({ _tag: "ReadBack", request: { ...readRequestOf(subject), ...strongOf(contract) } })
    : lost(subject, why)
}

/** Tells whether a call has no answer and cannot be asked about. */
const isUnheard = (subject: ActionInFlight): boolean => isExecuting(subject) && !LocalTransaction.isHeld(subject)

/**
 * Leaves an action to a person, who has to find out what it did (row 8 of Action Verification). A read that proved
 * nothing is committed.
 */
const lost = (
  subject: ActionInFlight,
  why: Finding.Finding,
  read?: { readonly evidence: Evidence & { readonly _tag: "Ok" }; readonly source: string | undefined }
): Decision => {
  const recovery = Recovery.ofLost(subject, why)
  const held = hold(after(subject), why, recovery)
  const shown: Payload.Of<"recovery.decided"> =
    read === undefined
      ? { read: "unknown", reason: why, via: "silence" }
      : {
          ...shownBy(read.evidence),
          ...(read.source === undefined ? {} : { source: read.source }),
          via: "readback"
        }
  const data = { ...Recovery.toData(recovery), ...shown }
  return { ...held, content: { recovery: Recovery.toContent(subject, recovery, data) } }
}

/**
 * Sends an action again that did not happen by a person's word: under its key if the tool still honours that,
 * otherwise under the next generation.
 */
const resent = (subject: ActionInFlight): Decision => {
  const { contract, id, open, state, terms } = subject
  const isLookedAt = ToolContract.isReadBefore(contract)
  const isHonoured = contract.idempotency === "idempotent_write" && SendingAgain.isRemembered(subject)
  if (open.key === undefined || isHonoured) return attempt(subject, { isLookedAt, key: open.key })
  for (let generation = 0; ; generation++) {
    const call = { contract, params: open.params, occurrence: open.occurrence ?? 1, generation }
    const keyed = RequestIdentity.derive(terms, state, call)
    if (keyed._tag === "Refused")
      return held(terms, id, Finding.make("key.underivable", { tool: open.tool, why: Check.findingOf(keyed.check)! }))
    if (keyed.key !== open.key) return attempt(subject, { isLookedAt, key: keyed.key })
  }
}

const called = (
  subject: ActionInFlight,
  command: { readonly evidence: Evidence; readonly latencyMillis?: number | undefined }
): Decision => {
  const { terms } = subject
  const { evidence } = command
  // A refusal attests that nothing happened, in a transaction as well.
  if (LocalTransaction.isHeld(subject) && evidence._tag !== "Error") {
    return LocalTransaction.opened(subject, command)
  }
  switch (evidence._tag) {
    case "Ok": {
      const isReplayed = evidence.replayed === true
      const noted = isReplayed ? { ...command, data: { replayed: true } as const } : command
      const answered = answerOf(subject.id, { output: evidence.output, status: "ok", trust: Trust.of("word") }, noted)
      const taken = answeredWith(subject, { as: "done", at: terms.now, output: evidence.output })
      return isReplayed ? replayed(taken, answered) : prove(taken, { answered })
    }
    case "Accepted": {
      const answered = AcceptedRequest.toContent(subject, { ...command, evidence })
      const taken = answeredWith(subject, { as: "accepted", at: terms.now, output: evidence.output })
      return processing(after(taken), { answered })
    }
    case "Error": {
      const answered = answerOf(
        subject.id,
        { output: evidence.error, status: "error", trust: Trust.of("word") },
        command
      )
      return failed(subject, { error: evidence.error, basis: "attested", before: { answered } })
    }
    default: {
      const result = { output: failureOf(evidence), status: "unknown", trust: Trust.of("none") } as const
      return inDoubt(subject, answerOf(subject.id, result, command))
    }
  }
}

/** Recovers an action after an answer that leaves its outcome unknown. The answer is durable first. */
export const inDoubt = (subject: ActionInFlight, answered: CommitContent.Said<"action.result">): Decision => {
  const { terms } = after(subject)
  const unknown = answeredWith(subject, { as: "unknown", at: terms.now, output: answered.result?.output ?? null })
  const next = recover(terms, patched(unknown), { action: subject.id })
  return { ...next, content: { ...next.content, answered }, flush: "now" }
}

/**
 * Settles a replayed answer: the tool recognised its key, and the effect of the first sending counts (row 13 of
 * Action Verification).
 */
const replayed = (subject: ActionInFlight, answered: CommitContent.Said<"action.result">): Decision => {
  const { terms } = subject
  const recovery = Recovery.ofReplay(subject)
  const noted = Recovery.toContent(after(subject), recovery, Recovery.toData(recovery))
  const content = { answered, noted }
  if (recovery.decision.action === "record_replay") return prove(subject, content)
  const why = Finding.make("outcome.recovered", Recovery.toArgs(recovery))
  return end({ _tag: "Held", tick: terms.tick + 1, action: subject.id, why }, content)
}

/** Verifies an accepted request by its schedule, never on the tool's word. */
const processing = (subject: ActionInFlight, content = CommitContent.nothing): Decision => {
  const by = AcceptedRequest.wayOf(subject.contract)
  if (by === "readback") return prove(subject, content)
  if (by === "status") return go({ _tag: "Ask", request: requestOf(subject) }, content)
  const held = AcceptedRequest.held(subject)
  return { ...held, content: { ...content, ...held.content } }
}

/** Leaves a frozen action untouched until a person has decided. */
const frozen = (subject: ActionInFlight): Decision => {
  const { contract, id, open, terms } = subject
  const overAt = SendingAgain.arrivesUntil(subject)
  const early = overAt === undefined ? {} : { overAt }
  const news = open.told === undefined ? {} : { told: open.told.outcome }
  const about = { tool: contract.name, ...early, ...news, verifiable: canBeReopened(subject) }
  return held(terms, id, Finding.make("action.frozen", about))
}

/** Keeps an answer about a frozen action for whoever decides about it, once. It moves nothing before. */
const kept = (subject: ActionInFlight, evidence: Evidence): Decision => {
  const told = toldBy(evidence)
  const { told: known } = subject.open
  const isNews = told !== undefined && (known === undefined || !Canonical.equals({ ...known, ...told }, known))
  if (!isNews || LocalTransaction.isHeld(subject)) return frozen(subject)
  const informed = { ...subject, open: OpenAction.patched(subject.open, { told }) }
  const answered = { action: { id: subject.id }, data: { told, via: "call" } } as const
  return { ...frozen(after(informed)), content: { answered }, flush: "now" }
}

/** Drops an intent without `action.started`, and commits that. No effect can have begun. */
const drop = ({ id, terms }: ActionInFlight): Decision => {
  const checks = [Check.fail("policy", id, "action.never_started", {})]
  const dropped = DecisionTerms.draft(terms, { action: { id }, author: "kernel", type: "intent.dropped" })
  return end({ _tag: "Refused", tick: terms.tick, checks }, CommitContent.records(dropped))
}

const patched = ({ id, open, state }: ActionInFlight): State => ({
  ...state,
  kernel: { ...state.kernel, [OpenActions.part.name]: { ...OpenActions.of(state), [id]: open } }
})
