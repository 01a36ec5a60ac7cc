/**
 * Forward recovery: the kernel completes a subtask behind its pivot step by step, or asks a person.
 *
 * The kernel proposes each remaining step itself. The proposal passes the whole commit path, under a key of its own.
 * A step with an unknown outcome is asked about and sent again under the same key. A refused step was not done, and
 * is sent again under the next generation of its key (decision 0035). The waits grow until the time of the step is
 * over. Then a person is asked. Arguments that cannot be derived are asked of the planner.
 *
 * | a step | what follows |
 * | --- | --- |
 * | is refused | sent again after a wait, in the state `forward_recovery` |
 * | is unknown, and cannot be asked about now | asked about again after a wait |
 * | is read back and differs | the recovery table decides; where it needs a person, one is asked |
 * | cannot be sent again, or its time is up | a person is asked |
 * | is reconciled | the next one begins |
 *
 * @source Action Verification, "Forward Recovery" and "The Pivot Transaction", row 10 of "Recovery Decision Tables"
 */
import * as Backoff from "@backstitch/contracts/Backoff"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import { type ActionInFlight, findAction } from "../action/ActionInFlight.ts"
import { attempt } from "../action/attempt.ts"
import * as SagaSteps from "../action/SagaSteps.ts"
import type { Command } from "../decision/Command.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { commit, type Decision, end, go, held, wait } from "../decision/Decision.ts"
import type { Held } from "../decision/Outcome.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import { takingOver } from "../intent/adoption.ts"
import * as Propose from "../intent/Propose.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import { argumentsOf, dueOf, stepOf, untilOf } from "./forwardStep.ts"
import { obligesOf, owesOf } from "./pivotObligations.ts"

/**
 * A subtask that is incomplete behind its pivot, as planners and operators are shown it: the next step, its arguments
 * or the reason why they are not known, and the later steps.
 */
export interface Remaining {
  readonly obligation: string
  readonly subtask: string
  readonly pivot: string
  readonly tool: string
  readonly params: Json | undefined
  /** The finding that says why the arguments cannot be derived. The planner has to give them. */
  readonly lacks: Finding.Finding | undefined
  /** The steps after the next one. */
  readonly later: ReadonlyArray<string>
  readonly state: Obligations.Obligation["state"]
}

/** Lists the incomplete subtasks of a run. */
export const remaining = (pack: TaskPack.TaskPack | undefined, state: State): ReadonlyArray<Remaining> =>
  Obligations.all(state).map((each) => {
    const { id, pivot, skeleton, steps } = each
    const [tool = "", ...later] = steps
    const filled = argumentsOf(pack, state, each)
    const isDerived = Result.isSuccess(filled)
    return {
      obligation: id,
      subtask: skeleton,
      pivot,
      tool,
      params: isDerived ? filled.success : undefined,
      lacks: isDerived ? undefined : filled.failure,
      later,
      state: each.state
    }
  })

/** Tells whether the kernel completes a subtask by itself when the run is resumed. */
export const isUnderWay = (left: ReadonlyArray<Remaining>): boolean =>
  left.some((each) => each.state === "forward_recovery" && each.params !== undefined)

/** The moment at which the next step of a subtask is sent again; `undefined` if it has not failed. */
export const dueAt = (pack: TaskPack.TaskPack | undefined, obligation: Obligations.Obligation): number | undefined =>
  obligation.failed === undefined
    ? undefined
    : dueOf({ now: obligation.failed.at, pack }, obligation, obligation.steps[0] ?? "")

/** Adds forward recovery to a decision: records obligations, retries the failed step, starts the next. */
export const carry = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const outcome = decision.next._tag === "End" ? decision.next.outcome : undefined
  switch (outcome?._tag) {
    case "Failed":
      return refused(terms, state, decision) ?? aborted(terms, state, decision)
    case "Held":
      return unsettled(terms, state, decision, outcome)
    default:
      return followed(state, obliged(terms, state, decision))
  }
}

/** Records the obligations of a pivot that a decision settles. */
export const obliged = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  if (Object.values(terms.pack?.skeletons ?? {}).every(({ forward }) => forward.length === 0)) return decision
  const { content } = decision
  const { reconciled } = content
  if (reconciled?.result?.status !== "ok") return decision
  const obliges = obligesOf(terms, state, content)
  const owes = owesOf(terms, state, reconciled)
  if (obliges.length === 0 && owes === undefined) return decision
  const data = {
    ...reconciled.data,
    ...(obliges.length === 0 ? {} : { obliges }),
    ...(owes === undefined ? {} : { owes })
  }
  return { ...decision, content: { ...content, reconciled: { ...reconciled, data } } }
}

/** Continues a step that was refused: it waits, is sent again, or is held. `undefined` for any other action. */
export const instead = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action }: { readonly action: string }
): Decision | undefined => {
  const obligation = Obligations.ofAction(state, action)
  const subject = findAction(terms, state, action)
  if (subject === undefined || obligation?.failed?.action !== action) return undefined
  if (subject.open.heard === undefined || subject.open.answer?.as !== "refused") return undefined
  if (obligation.state === "review_required") return end(waiting(terms, obligation, action))
  const due = dueOf(terms, obligation, subject.open.tool)
  if (terms.now < due) return wait(action, due)
  return again(subject)
}

/** Continues an incomplete subtask: proposes its next step, or names what the subtask waits for. */
export const proceed = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { adopted, generation, met }: Pick<Command & { readonly _tag: "Complete" }, "adopted" | "generation" | "met"> = {}
): Decision => {
  const all = Obligations.all(state)
  const obligation = all.find((each) => each.state !== "review_required") ?? all[0]
  const [tool] = obligation?.steps ?? []
  if (obligation === undefined || tool === undefined) {
    return end({ _tag: "Done", tick: DecisionTerms.standsAt(terms), output: { remaining: [] }, basis: "recorded" })
  }
  if (obligation.state === "review_required")
    return end(waiting(terms, obligation, obligation.failed?.action ?? obligation.pivot))
  if (UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined) {
    return held(terms, obligation.pivot, Finding.make("forward.undoing", { tool }))
  }
  const begun = Object.keys(OpenActions.of(state)).find((id) => Obligations.ofAction(state, id)?.id === obligation.id)
  if (begun !== undefined) return held(terms, begun, Finding.make("forward.under_way", { action: begun, tool }))
  const params = argumentsOf(terms.pack, state, obligation)
  if (Result.isFailure(params)) {
    const { pivot } = obligation
    return held(terms, pivot, Finding.make("forward.underivable", { lacks: params.failure, pivot, tool }))
  }
  if (obligation.failed !== undefined) {
    if (terms.now >= untilOf(terms, obligation, tool))
      return escalated(terms, obligation, { action: obligation.failed.action, tool })
    const due = dueOf(terms, obligation, tool)
    if (terms.now < due) return go({ _tag: "Complete", untilMillis: due })
  }
  const proposal = { tool, params: params.success }
  const call = { proposal, generation, met, completes: obligation.id }
  const decided = takingOver(terms, state, Propose.call(terms, state, call), { adopted, proposal })
  return proposed(terms, obligation, tool, decided)
}

/** If the step is under way, on record already, or refused, a person is asked. */
const proposed = (
  terms: DecisionTerms.DecisionTerms,
  obligation: Obligations.Obligation,
  tool: string,
  decision: Decision
): Decision => {
  const outcome = decision.next._tag === "End" ? decision.next.outcome : undefined
  if (outcome?._tag === "Refused") {
    const content = CommitContent.changed(decision.content, "refused", (refused) => ({
      ...refused,
      data: { ...refused.data, completes: obligation.id }
    }))
    const why = Check.reason(outcome.checks) ?? late
    return escalated(terms, obligation, { action: obligation.pivot, tool, content, why })
  }
  if (outcome?._tag !== "Done" || outcome.adopted === undefined) return decision
  const data = { decision: "record_replay", done: tool, obligation: obligation.id, tool } as const
  // The kernel itself asked for the step, so a decision made from the record says that the record answered.
  const recovery = { action: { id: outcome.adopted.action ?? obligation.pivot }, data }
  return commit({ recovery }, { _tag: "Complete" })
}

/** Sends a step that was refused behind the pivot again: nothing happened, so the subtask goes on. */
const refused = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision | undefined => {
  const { answered, reconciled, recovery: judged, verified } = decision.content
  const action = reconciled?.action?.id ?? ""
  const obligation = Obligations.ofAction(state, action)
  const subject = findAction(terms, state, action)
  if (obligation === undefined || subject === undefined || answered === undefined) return undefined
  // A readback says more than a refusal, so the recovery table decides.
  if (verified !== undefined || judged !== undefined) return undefined
  const recovery = recoveryOf(subject, obligation)
  if (recovery?.decision.action !== "recover_forward") return undefined
  const content: CommitContent.CommitContent = {
    ...decision.content,
    reconciled: undefined,
    follows: undefined,
    answered: { ...answered, data: { ...answered.data, state: "forward_recovery" } },
    recovery: Recovery.toContent(subject, recovery, { obligation: obligation.id, refused: true })
  }
  const failed = { action, at: terms.now, count: (obligation.failed?.count ?? 0) + 1 }
  const after = { ...obligation, failed, failedAt: obligation.failedAt ?? terms.now }
  const { tool } = subject.open
  const due = dueOf(terms, after, tool)
  return due >= untilOf(terms, after, tool)
    ? escalated(terms, after, {
        action,
        tool,
        content,
        why: Finding.make("forward.refused", { times: failed.count })
      })
    : commit(content, { _tag: "Wait", action, untilMillis: due })
}

/** Completes a subtask behind its pivot although another of its steps has failed for good. */
const aborted = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const { follows } = decision.content
  if (follows?.data?.decision !== "recover_forward") return decision
  const registered = OpenActions.of(state)[follows.action?.id ?? ""]?.undo
  const obligation = Obligations.all(state).find((each) => Obligations.concerns(each, registered))
  if (obligation === undefined) return decision
  const tagged = { ...follows, data: { ...follows.data, obligation: obligation.id } }
  const content = { ...decision.content, follows: tagged }
  return Result.isSuccess(argumentsOf(terms.pack, state, obligation))
    ? commit(content, { _tag: "Complete" })
    : { ...decision, content }
}

/** Asks about a step again while it may still succeed and its time is not over. Afterwards it asks a person. */
const unsettled = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision, outcome: Held): Decision => {
  const { action } = outcome
  const obligation = Obligations.ofAction(state, action)
  const subject = findAction(terms, state, action)
  const { content } = decision
  if (obligation === undefined || subject === undefined || CommitContent.size(content) === 0) return decision
  const { tool } = subject.open
  const since = { ...obligation, failedAt: obligation.failedAt ?? subject.open.firstAt ?? terms.now }
  const until = untilOf(terms, since, tool)
  if (!patient.has(CommitContent.decided(content) ?? "") || terms.now >= until) {
    if (obligation.state === "review_required") return decision
    return escalated(terms, since, { action, tool, content, isOpen: true, why: outcome.why })
  }
  const recovery = obligation.state === "forward_recovery" ? undefined : recoveryOf(subject, obligation)
  const { poll } = stepOf(terms.pack, obligation, tool)
  const next = Backoff.next(poll, { since: subject.open.startedAt ?? terms.now, now: terms.now })
  const noted =
    recovery === undefined
      ? CommitContent.nothing
      : { ...content, follows: Recovery.toContent(subject, recovery, { obligation: obligation.id }) }
  return commit(noted, { _tag: "Wait", action, untilMillis: Math.min(until, next) })
}

/** Starts the next step once one is done, if the kernel completes the subtask. */
const followed = (state: State, decision: Decision): Decision => {
  if (decision.next._tag !== "End") return decision
  const { reconciled } = decision.content
  const action = reconciled?.result?.status === "ok" ? (reconciled.action?.id ?? "") : ""
  const obligation = Obligations.ofAction(state, action)
  if (obligation === undefined || obligation.state === "partially_committed") return decision
  const isOwed = obligation.steps.length > 1 || reconciled?.data?.owes === obligation.id
  return isOwed ? { ...decision, flush: "now", next: { _tag: "Complete" } } : decision
}

/** Sends a refused step again, under the next generation of its key. The attempt is durable first. */
const again = (subject: ActionInFlight): Decision => {
  const { contract, id: action, open, state, terms } = subject
  const call = { contract, params: open.params, occurrence: open.occurrence ?? 1, generation: 0 }
  const keyed = RequestIdentity.derive(terms, state, call)
  if (keyed._tag === "Refused") {
    return held(terms, action, Finding.make("key.underivable", { tool: open.tool, why: Check.findingOf(keyed.check)! }))
  }
  const { key, requestHash, target } = keyed
  const named = { ...subject, open: { ...open, requestHash, target } }
  return attempt(named, { isLookedAt: ToolContract.isReadBefore(contract), key })
}

/** Asks a person once, and sends nothing more. */
const escalated = (
  terms: DecisionTerms.DecisionTerms,
  obligation: Obligations.Obligation,
  about: {
    readonly action: string
    readonly tool: string
    readonly content?: CommitContent.CommitContent
    /** The outcome may still be learnt: the subtask waits for a person, and the action keeps its state. */
    readonly isOpen?: boolean
    readonly why?: Finding.Finding
  }
): Decision => {
  const { action, isOpen = false, content = CommitContent.nothing, tool, why = late } = about
  const review = `v${terms.tick + CommitContent.size(content)}`
  const request: CommitContent.Said<"review.requested"> = {
    ...(isOpen || action === obligation.pivot ? {} : { action: { id: action } }),
    data: { obligation: obligation.id, remaining: obligation.steps, review, subject: "forward", why }
  }
  const held = Finding.make("forward.escalated", { pivot: obligation.pivot, tool, why })
  return end(waiting(terms, obligation, action, held), { ...content, asks: [...(content.asks ?? []), request] })
}

/** Tells that the time of a step is over. */
const late = Finding.make("forward.late", {})

const waiting = (
  terms: DecisionTerms.DecisionTerms,
  { pivot, steps }: Obligations.Obligation,
  action: string,
  why: Finding.Finding = Finding.make("forward.waits", { pivot, steps })
) => ({ _tag: "Held", tick: DecisionTerms.standsAt(terms), action, why }) as const

/** Judges a subtask with a failed step: row 10 of Action Verification completes it. */
const recoveryOf = (
  subject: ActionInFlight,
  { entity, skeleton }: Obligations.Obligation
): Recovery.Recovery | undefined => {
  const { state, terms } = subject
  const declared = terms.pack?.skeletons[skeleton]
  const steps = declared === undefined ? [] : SagaSteps.of(terms, state, [{ skeleton: declared, entity }])
  return Recovery.ofSubtask(
    subject,
    steps.filter(({ action }) => action !== subject.id)
  )
}

/** Recovery actions that only wait. */
const patient: ReadonlySet<string> = new Set(["hold_pending", "poll_key_record", "retry_verification"])
