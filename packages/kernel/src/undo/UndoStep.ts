/**
 * A step of an undo plan: its original is asked about before each sending, and its reversal is not sent if the
 * original has changed.
 *
 * A key makes the repetition of the same reversal harmless. It does not protect against other changes: a person who
 * returns the money by hand uses no key. So `Presence` asks about the original before each sending, the first and any
 * further one, and before anything that counts is begun.
 *
 * | the original | a first sending | a further one |
 * | --- | --- | --- |
 * | is unchanged | is begun | is begun, under the same key |
 * | has changed | is begun to read the reversal's own record, and never sent | the own record is read |
 * | is absent | nothing is begun | the reversal's own record is read |
 * | cannot be read | waits, and counts as no attempt | waits, and counts as no attempt |
 *
 * Before the first sending, the original is established as the effect of its own action (see `Attribution`). A record
 * that a tool merely named in its answer may belong to another action, and is left to a person.
 *
 * A reversal that has begun under an approval and was never sent needs a valid approval when it is sent: an expired
 * one is asked for again.
 *
 * A person may have a reversal sent although its original has changed, as long as the record is the one that they
 * have seen. They may also attest that the original is undone: then nothing is sent any more.
 *
 * @source law L5; docs/decisions/0016, 0024, 0035, 0036
 */

import * as Guard from "@backstitch/contracts/Guard"
import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import { type ActionInFlight, after, findAction, requestOf } from "../action/ActionInFlight.ts"
import { attempt } from "../action/attempt.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import { admitted, denial, waiting } from "../admission/admission.ts"
import { holderOf, refusedBy, schema, taken } from "../admission/callChecks.ts"
import * as BudgetSettlement from "../budget/BudgetSettlement.ts"
import type { Said } from "../decision/CommitContent.ts"
import { commit, type Decision, end, go, held } from "../decision/Decision.ts"
import type * as Evidence from "../decision/Evidence.ts"
import type * as Passed from "../decision/validatedCall.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import { hold } from "../recovery/hold.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as ForkPolicy from "../state/ForkPolicy.ts"
import * as Attribution from "../verification/Attribution.ts"
import { digestOf } from "../verification/classification.ts"
import * as Presence from "../verification/Presence.ts"
import * as UndoStop from "./UndoStop.ts"

/** Asks about the original of a step. An answer about another step is not used. */
export const ask = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { tool, undoes }: UndoPlan.ReversalStep
): Decision => {
  const original = Presence.question(terms, state, undoes)
  if (original !== undefined) return go({ _tag: "ReadOriginal", original })
  return held(terms, undoes, Finding.make("reversal.undecidable", { tool, undoes }))
}

/** Tells whether the time in which an action could be undone is over. */
export const isTooLate =
  (terms: DecisionTerms.DecisionTerms, state: State): UndoPlan.IsTooLate =>
  (action) => {
    const settled = SettledActions.of(state).get(action)
    return settled !== undefined && SettledActions.isTooLate(settled, terms.now)
  }

/** Tells whether a reversal is to be sent after the question about its original: no attempt of it is under way. */
export const isDue = ({ deferred, due, resend, undoes }: OpenAction.OpenAction): boolean =>
  undoes !== undefined && (due === true || resend === true || deferred === true)

/** Continues a reversal that is due: its original is asked about. */
export const again = ({ id, open, state, terms }: ActionInFlight): Decision => {
  const plan = UndoPlan.open(state)
  const step = plan?.at === id ? plan.steps.find(({ undoes }) => undoes === open.undoes) : undefined
  return step === undefined
    ? held(
        terms,
        id,
        Finding.make("reversal.unplanned", {
          tool: open.tool,
          ...(open.undoes === undefined ? {} : { undoes: open.undoes })
        })
      )
    : ask(terms, state, step)
}

/** Decides a step of a plan by the record of its original. */
export const judged = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  plan: UndoPlan.OpenPlan,
  about: { readonly step: UndoPlan.ReversalStep; readonly looked: Evidence.Looked }
): Decision => {
  const { looked, step } = about
  const isAsked = Attribution.isAsked(terms, state, looked)
  const presence = isAsked ? Attribution.presence(looked) : Presence.judge(terms, state, looked)
  const original = Presence.toContent(terms, state, { plan, looked, presence })
  if (presence._tag === "Early") {
    return go({ _tag: "Compensate", untilMillis: presence.untilMillis })
  }
  // On a person's word the original is undone, whatever its record shows.
  if (plan.attested?.includes(step.undoes) === true) return commit({ original }, { _tag: "Compensate" })
  const begun = plan.at === undefined ? undefined : findAction(terms, state, plan.at)
  const next = DecisionTerms.next(terms)
  // Once the reversal was begun, the owner of the effect is established.
  if (isAsked && begun !== undefined) return again(begun)
  if (begun === undefined && (isAsked || presence._tag === "Present")) {
    const unproven = unestablished(terms, state, plan, { ...about, original })
    if (unproven !== undefined) return unproven
    if (isAsked && presence._tag === "Present") return noting(original, ask(next, state, step))
  }
  const sends = () => noting(original, begun === undefined ? begin(next, state, plan, step) : renew(after(begun)))
  switch (presence._tag) {
    case "Present":
      return sends()
    case "Altered":
      if (begun === undefined || isSeen(plan, looked)) return sends()
      return noting(original, readOwn(after(begun)))
    case "Absent":
      return begun === undefined
        ? commit({ original }, { _tag: "Compensate" })
        : noting(original, readOwn(after(begun)))
    case "Unread": {
      const { tool, undoes } = step
      const why = Finding.make("reversal.unread", { tool, undoes, why: presence.why })
      return end({ _tag: "Held", tick: terms.tick, action: undoes, why }, { original })
    }
  }
}

/**
 * Asks under the key about an original that is not established as the action's own effect, or leaves it to a person.
 */
const unestablished = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  plan: UndoPlan.OpenPlan,
  about: {
    readonly step: UndoPlan.ReversalStep
    readonly looked: Evidence.Looked
    readonly original: Said<"action.verified">
  }
): Decision | undefined => {
  const { looked, original, step } = about
  const { undoes } = step
  switch (Attribution.judge(terms, state, { looked, step })) {
    case "own":
      return undefined
    case "unasked": {
      const question = looked.via === "readback" ? Attribution.question(terms, state, undoes) : undefined
      return question && noting(original, go({ _tag: "ReadOriginal", original: question }))
    }
    case "foreign":
      return UndoStop.stop(terms, plan, {
        undoes,
        why: Finding.make("reversal.not_own", {}),
        before: { original },
        stop: "not_own"
      })
  }
}

/** Tells whether a reversal may only read its own record, because its original has changed. */
export const isWithheld = (state: State, { undoes }: OpenAction.OpenAction): boolean => {
  const plan = UndoPlan.open(state)
  const { action, record } = plan?.altered ?? {}
  return undoes !== undefined && action === undoes && (record === undefined || plan?.regardless !== record)
}

/** Tells whether a person has seen the present record, and has the reversal sent regardless. */
const isSeen = ({ regardless }: UndoPlan.OpenPlan, { evidence }: Evidence.Looked): boolean =>
  regardless !== undefined && evidence._tag === "Ok" && regardless === digestOf(evidence.output)

/**
 * Stops the plan before a reversal if its own record does not show it and its original has changed. Somebody may have
 * undone the original, so a person decides.
 */
export const withhold = ({ id, open, state, terms }: ActionInFlight, verified: Said<"action.verified">): Decision => {
  const plan = UndoPlan.open(state)!
  const unsent: Said<"recovery.decided"> = {
    action: { id },
    data: { ...(isFirst(open) ? { defers: true } : { due: true }), stop: "altered" }
  }
  return UndoStop.stop(terms, plan, {
    undoes: open.undoes ?? "",
    why: Finding.make("reversal.altered", {}),
    before: { verified, recovery: unsent },
    stop: "altered"
  })
}

/** Tells whether no attempt of a reversal was sent. A due reversal was begun before, perhaps by another process. */
const isFirst = (open: OpenAction.OpenAction): boolean =>
  open.deferred === true || (open.due !== true && OpenAction.isInFlight(open) && (open.attempts ?? 1) <= 1)

/** Puts the record of the original before a decision. */
const noting = (original: Said<"action.verified">, decision: Decision): Decision => ({
  ...decision,
  content: { ...decision.content, original },
  flush: "now"
})

/** Reads the reversal's own record, which shows its outcome. Nothing is begun for that. */
const readOwn = (subject: ActionInFlight): Decision => go({ _tag: "ReadBefore", request: requestOf(subject) })

/**
 * The next attempt of a reversal: under its present key, or under a new one if a person has it sent and the present
 * key is forgotten.
 */
const renew = (subject: ActionInFlight): Decision => {
  const { contract, open, state, terms } = subject
  if (open.resend !== true) {
    // Nothing was sent under the key of a first sending, so nobody has to honour it yet.
    const stop = isFirst(open) ? permitted(subject) : unrepeatable(subject)
    return stop ?? attempt(subject, { isLookedAt: true, key: open.key })
  }
  const isHonoured = contract.idempotency === "idempotent_write" && SendingAgain.isRemembered(subject)
  if (open.key === undefined || isHonoured) return attempt(subject, { isLookedAt: true, key: open.key })
  const keyed = RequestIdentity.undoing(terms, state, {
    contract,
    params: open.params,
    undoes: open.undoes ?? "",
    not: open.key
  })
  return keyed._tag === "Refused"
    ? held(terms, subject.id, Finding.make("key.underivable", { tool: open.tool, why: Check.findingOf(keyed.check)! }))
    : attempt(subject, { isLookedAt: true, key: keyed.key })
}

/** Holds a reversal that would be sent again blindly; `undefined` if it may be sent. */
const unrepeatable = (subject: ActionInFlight) => {
  const stop = SendingAgain.blind(subject)
  return stop && hold(subject, stop)
}

/** Waits if a reversal that has begun and was never sent needs a new approval; `undefined` if it may be sent. */
const permitted = ({
  contract,
  open: { key, params, requestHash, target, undoes = "" },
  state,
  terms
}: ActionInFlight): Decision | undefined => {
  const plan = UndoPlan.open(state)!
  const keyed = { _tag: "Derived", key, requestHash: requestHash as Digest, target } as const
  const proposal = { tool: contract.name, params }
  const passed = { proposal, contract, params, keyed, hash: undefined, checks: [], undoes }
  return refusal(terms, state, plan, passed) ?? waiting(terms, state, passed)
}

/** Stops the plan if a person has denied the approval of its next step. */
const refusal = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  plan: UndoPlan.OpenPlan,
  passed: Passed.Passed & { readonly undoes: string }
): Decision | undefined => {
  const denied = denial(terms, state, passed)
  if (denied === undefined) return undefined
  const { check, id } = denied
  return UndoStop.stop(terms, plan, { undoes: passed.undoes, why: Check.findingOf(check)!, stop: "denied", review: id })
}

/** The next step: the reversal passes the checks of the commit path, and starts under a key made from its original. */
const begin = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  open: UndoPlan.OpenPlan,
  step: UndoPlan.ReversalStep
): Decision => {
  const { params: given, tool, undoes } = step
  if (isTooLate(terms, state)(undoes)) {
    return UndoStop.stop(terms, open, { undoes, why: Finding.make("reversal.too_late", {}), stop: "too_late" })
  }
  const contract = TaskPack.tool(terms.pack, tool)
  const input = Field.object(contract.input)
  const params = Quantise.value(input, given)
  const checks = [
    Check.pass("contract", tool),
    ...schema(input, params, tool),
    ...guarded(terms, state, tool, params),
    ...ForkPolicy.checks(state, { tool, args: params })
  ]
  const keyed = RequestIdentity.undoing(terms, state, { contract, params, undoes })
  const failed = Check.failing([...checks, ...(keyed._tag === "Refused" ? [keyed.check] : [])])
  if (failed.length > 0 || keyed._tag === "Refused") {
    return UndoStop.stop(terms, open, { undoes, why: Check.reason(failed)! })
  }
  const original = OpenActions.of(state)[undoes]
  // A reversal passes the check of the target: it acts under the claim that its original still has (decision 0003).
  const target = original?.target === keyed.target ? undefined : keyed.target
  const holder = target === undefined ? undefined : holderOf(state, target)
  if (holder !== undefined) {
    return held(terms, undoes, Check.findingOf(taken(target!, holder))!)
  }
  const proposal = { tool, params }
  const decided = { _tag: "Derived", key: keyed.key, requestHash: keyed.requestHash, target } as const
  // The cost of an undoing is counted, and never refused for want of budget.
  const reserved = Result.getOrElse(BudgetSettlement.expected(state, contract, params), () => ({}))
  const passed = { proposal, contract, params, keyed: decided, hash: undefined, checks, undoes, reserved }
  return refusal(terms, state, open, passed) ?? admitted(terms, state, passed)
}

const guarded = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  tool: string,
  params: Json
): ReadonlyArray<Check.Check> =>
  Guard.refusals(terms.pack!.guards, tool, ExpressionScope.bindings(state, { args: params })).map(refusedBy)
