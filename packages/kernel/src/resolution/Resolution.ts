/**
 * The resolution of a held action by a person, with evidence and a name, on the record.
 *
 * A person's word verifies no effect. An action that a person calls a success is settled at trust 1 and reported as
 * unverified; it changes a belief only through a record that was read or attested. An action that a person abandons
 * keeps its discrepancy for ever. Success of a reversal means that its original is undone: the kernel asks about that
 * if it can, and sends the reversal no more under any key.
 *
 * | held | success | failure | abandoned | reopened |
 * | --- | --- | --- | --- | --- |
 * | an open action | settled on their word | failed | unknown for ever; target free | verified again |
 * | an undoing that was refused | it is undone | the effect stands | the plan is given up | the plan goes on |
 * | one whose approval was denied | it is undone | the effect stands | the plan is given up | asked for anew |
 * | a reversal without an answer | it is undone | the effect stands | the plan is given up | verified again |
 * | an undoing that waits | no decision: resume | called off | called off | no decision: resume |
 * | a step behind a pivot | the subtask is completed | it is given up | it is given up | as an open action |
 * | an act that was taken back in part | all of it is undone | it stands | the rest of it is given up | no decision |
 *
 * An open action that did not happen, according to the person's evidence, is `resent`: under the same key as long as
 * its tool honours the key, otherwise under the next generation. So is a reversal, whatever its original shows. A
 * verdict that has an action verified or sent again allows as many sendings as at first. An action that can be
 * neither asked about nor read is not reopened, unless its tool has answered meanwhile.
 *
 * Within the times of its contract a request may still arrive, and so may that of a reversal. Until these are over,
 * `failure` and `resent` are refused, because both say that nothing has happened: `failure` then ends the key, and
 * `resent` lets the next request out. An action may be given up at any time, since that claims nothing. It is then
 * abandoned: whether it happened stays unknown. If it is a reversal, its original is abandoned with it.
 *
 * The person who broke the glass for an action may not call it a success. They may have it verified again or settle
 * it otherwise; another person may accept it.
 *
 * A review that verification asked for, of an action that is settled meanwhile, is `noted`: this records that a
 * person has looked, and changes nothing else. A failure is not `noted` if its provider says that it happened, because
 * that would let the act be begun again. It is a `failure` again if a person finds that it did not happen, and nothing
 * of it may still arrive. Until then its review stays open.
 *
 * @source Action Verification, "Review Required" and "Abandoned"
 */

import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import { type ActionInFlight, findAction } from "../action/ActionInFlight.ts"
import * as Compensation from "../action/Compensation.ts"
import { canBeReopened, canBeResent } from "../action/possibleVerdicts.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import { refuse } from "../admission/refusal.ts"
import type { CommandFacts } from "../decision/CommandFacts.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end, lookAt } from "../decision/Decision.ts"
import { described, intent } from "../decision/intentBody.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as RunTypes from "../intent/RunTypes.ts"
import * as Check from "../payload/Check.ts"
import type * as Finding from "../payload/Finding.ts"
import * as Payload from "../payload/Payload.ts"
import { verdicts } from "../payload/recoveryWords.ts"
import * as Reviews from "../review/Reviews.ts"
import { failed } from "../settlement/actionSettlement.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Attestation from "./Attestation.ts"
import * as DisputedFailure from "./DisputedFailure.ts"

export {
  /** A verdict of a person on a held action. */
  verdicts
} from "../payload/recoveryWords.ts"

/** A verdict of a person on a held action. */
export type HoldVerdict = (typeof verdicts)[number]

/** Tells whether a proposal is a decision on a held action, and not on an approval. */
export const isResolution = ({ author, data, type }: Proposal): boolean => {
  if (type !== "review.decided" || (author !== "user" && author !== "institution")) return false
  const { action, review } = Payload.of({ data, type }, type) ?? {}
  return action !== undefined && review === undefined
}

/** Commits a person's decision, and its consequences for the action. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: CommandFacts & { readonly proposal: Proposal }
): Decision => {
  const { proposal } = command
  const said = { data: proposal.data, type: "review.decided" } as const
  // The refusal of an unknown verdict lists the possible ones.
  const { as } = proposal.data ?? {}
  const unknown = isVerdict(as) ? undefined : unknownVerdict(proposal.data)
  const misfit = unknown ?? RunTypes.misfit(terms, said)
  if (misfit !== undefined) return refuse(terms, state, { proposal, checks: [misfit] })
  const given = Payload.of(said, said.type) ?? {}
  const isDisputed = as === "failure" && DisputedFailure.isOne(state, given.action ?? "")
  const query = DisputedFailure.query(terms)
  const transitions = StoreQuery.seen(command, query)
  if (isDisputed && transitions === undefined) return lookAt({ ...command, _tag: "Resolve" }, query)
  const resolved = resolve(terms, state, given, transitions)
  if (Result.isFailure(resolved)) return refuse(terms, state, { proposal, checks: [resolved.failure] })
  const { data, names, content } = resolved.success
  const body: Payload.BodyOf<"review.decided"> = {
    action: { id: data.action ?? "" },
    ...described(proposal, proposal.author ?? "user"),
    data,
    ...intent(proposal, undefined),
    type: "review.decided"
  }
  const done = { _tag: "Done", tick: terms.tick, output: data, basis: "committed" } as const
  return { ...end(done, CommitContent.after(content, DecisionTerms.draft(terms, body))), names }
}

/** Resolves an action: the fields that the kernel adds and the content that follows, or the check that fails. */
const resolve = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  said: Said,
  transitions: ReadonlyArray<Transition> = []
): Resolved => {
  const given = withoutOwn(said)
  const { action = "", as, by = "", evidence = "" } = given
  if (as === undefined) return Result.fail(unknownVerdict(said))
  if (by.trim() === "") return refused(action, "decision.unsigned", {})
  if (evidence.trim() === "") return refused(action, "decision.without_evidence", {})
  if (given.record !== undefined && as !== "success") return refused(action, "record.not_wanted", {})
  if (as === "noted") return noted(state, given)
  const plan = UndoPlan.open(state)
  const isWaiting = plan !== undefined && UndoPlan.waiting(plan) === action
  if (isWaiting && as !== "failure" && as !== "abandoned") {
    return refused(action, "undoing.waits", { verdict: as })
  }
  if (plan !== undefined && (isWaiting || isAbout(state, plan, action))) {
    return ofPlan(terms, state, plan, { action, as, given })
  }
  if (doubted(state).includes(action)) return ofDoubt(plan, { action, as, given })
  if (as === "resent") return resent(terms, state, { given, action, plan })
  const wanted = UndoPlan.wanted(state)
  const concerned = [wanted?.subject, ...(wanted?.failed ?? []), ...(wanted?.actions ?? [])]
  if (concerned.includes(action)) {
    if (as !== "failure" && as !== "abandoned") {
      return refused(action, "undoing.waits", { verdict: as })
    }
    return Result.succeed({ data: { ...given, undo: "standing", unwanted: true }, content: CommitContent.nothing })
  }
  if (DisputedFailure.isOne(state, action)) {
    if (as !== "failure") return refused(action, "verdict.unknown", { given: as, verdicts: ["failure"] })
    const early = DisputedFailure.arriving(terms, action, transitions)
    return early === undefined ? Result.succeed({ data: given, content: CommitContent.nothing }) : Result.fail(early)
  }
  const subject = findAction(terms, state, action)
  const owed = subject === undefined ? owing(state).find(([id]) => id === action) : undefined
  if (owed !== undefined)
    return Result.succeed({ data: { ...given, obligation: owed[1].id }, content: CommitContent.nothing })
  if (subject === undefined || subject.open.class === "read_only") {
    return refused(action, "action.not_held", {})
  }
  if (plan !== undefined) return refused(action, "plan.open", { plan: plan.id })
  const fails = as === "success" ? brokenBy(subject, given) : as === "failure" ? arriving(action, subject) : undefined
  if (fails !== undefined) return Result.fail(fails)
  if (as === "reopened") {
    if (!canBeReopened(subject)) return refused(action, "tool.unverifiable", { tool: subject.open.tool })
    return OpenAction.isFrozen(subject.open)
      ? Result.succeed({ data: { ...given, state: states.reopened }, content: CommitContent.nothing })
      : unfrozen(subject)
  }
  return as === "success"
    ? Result.map(Attestation.of(subject, given.record), (attested) => {
        const { data, content } = succeeded(attested)
        return { data: { ...given, ...data }, content }
      })
    : Result.succeed(ofAction(subject, { as, given }))
}

/** Drops the fields that only the kernel may set. */
const withoutOwn = ({
  obligation: _,
  plan: __,
  reopens: ___,
  state: ____,
  undo: _____,
  unwanted: ______,
  ...said
}: Said): Said => said

/** Has an action that did not happen sent again, by the process that resumes the run. */
const resent = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: { readonly given: Said; readonly action: string; readonly plan: UndoPlan.OpenPlan | undefined }
): Resolved => {
  const { action, given, plan } = about
  const subject = findAction(terms, state, action)
  if (subject === undefined) return refused(action, "action.not_held", {})
  if (subject.open.class === "read_only" || !OpenAction.isFrozen(subject.open)) return unfrozen(subject)
  if (!canBeResent(subject)) return refused(action, "action.not_own", {})
  if (plan !== undefined) return refused(action, "plan.open", { plan: plan.id })
  const early = arriving(action, subject)
  if (early !== undefined) return Result.fail(early)
  return Result.succeed({
    data: { ...given, state: states.reopened },
    content: CommitContent.nothing
  })
}

/**
 * Tells whether a decision is about the current step of a plan: a step that failed, or one whose effect cannot be
 * learnt.
 */
const isAbout = (state: State, plan: UndoPlan.OpenPlan, action: string): boolean =>
  plan.status === "stopped"
    ? [plan.failed, plan.failedBy, plan.at].includes(action)
    : plan.at !== undefined && [plan.at, undoneAt(state, plan)].includes(action)

/** Names the action whose undoing failed, waits, or is under way. */
const undoneAt = (state: State, plan: UndoPlan.OpenPlan): string | undefined =>
  plan.failed ?? (plan.at === undefined ? UndoPlan.waiting(plan) : OpenActions.of(state)[plan.at]?.undoes)

/** Records that a person has looked at a settled action for which verification asked a review. */
const noted = (state: State, given: Said): Resolved => {
  const action = given.action ?? ""
  if (OpenActions.of(state)[action] !== undefined) return refused(action, "action.open", {})
  if (DisputedFailure.isOne(state, action)) {
    return refused(action, "verdict.unknown", { given: "noted", verdicts: ["failure"] })
  }
  return Reviews.ofVerification(state).some(([, review]) => review.action === action)
    ? Result.succeed({ data: given, content: CommitContent.nothing })
    : refused(action, "action.not_noted", {})
}

/** The payload of a decision: a person's fields, and those that the kernel adds. */
type Said = Payload.Of<"review.decided">

type Resolved = Result.Result<{ readonly data: Said } & Pick<Decision, "content" | "names">, Check.Check>

const refused = <C extends Finding.CheckFinding["code"]>(action: string, code: C, args: Finding.Args<C>) =>
  Result.fail(Check.fail("approval", action, code, args))

/** Refuses a verdict that says that an action did not happen, while its request may still arrive (decision 0036). */
const arriving = (action: string, subject: ActionInFlight | undefined): Check.Check | undefined => {
  const overAt = subject === undefined ? undefined : SendingAgain.arrivesUntil(subject)
  if (subject === undefined || overAt === undefined) return undefined
  return Check.fail("approval", action, "action.arriving", { action: subject.id, overAt })
}

/** Refuses a success that is declared by the person who broke the glass for the action. */
const brokenBy = ({ id, open, state }: ActionInFlight, given: Said): Check.Check | undefined => {
  const review = Reviews.of(state).get(open.review ?? "")
  if (review === undefined || !Reviews.isBrokenBy(review, given.by ?? "")) return undefined
  return Check.fail("approval", id, "decision.own_glass", {
    brokenBy: review.brokenBy ?? "",
    verdicts: OpenAction.isFrozen(open) ? ["failure", "abandoned", "reopened"] : ["failure", "abandoned"]
  })
}

/**
 * Refuses to try an action again that is not frozen: it continues by itself, or its broken glass has to be reviewed
 * first.
 */
const unfrozen = ({ id, open, state }: ActionInFlight): Resolved => {
  const review = Reviews.of(state).get(open.review ?? "")
  if (review?.brokenBy === undefined || review.verdict === "approved") {
    return refused(id, "action.goes_on", {})
  }
  return review.verdict === "denied"
    ? refused(id, "glass.not_accepted", { by: review.by ?? "" })
    : refused(id, "glass.unreviewed", { needs: review.needs, review: open.review ?? "" })
}

interface Decided {
  readonly as: Exclude<HoldVerdict, "noted" | "resent">
  readonly given: Said
}

const states = {
  success: "reconciled_success",
  failure: "failed",
  abandoned: "abandoned",
  reopened: "pending"
} as const

/** Settles an action on a person's word. A record that they attest counts as an answer with the same trust. */
const succeeded = (attested: Attestation.Attestation) => {
  const { actual, isRecorded, subject } = attested
  const named = { state: states.success }
  const answered: CommitContent.Said<"action.result"> = {
    action: { id: subject.id },
    data: named,
    result: { basis: "attested", output: actual, status: "ok", trust: Trust.of("word") }
  }
  const data = {
    ...named,
    undo: Compensation.resolved(subject, actual),
    // Without a record no belief changes, and a belief that never existed is not taken back.
    ...(actual === null || isMasked(subject) ? { unbelieved: true as const } : {})
  }
  const reconciled = reconciledBy(subject, { data, status: "ok", output: actual })
  return { data: named, content: isRecorded ? { answered, reconciled } : { reconciled } }
}

const ofAction = (subject: ActionInFlight, { as, given }: Decided) => {
  const data = { ...given, state: states[as] }
  const error = given.evidence ?? ""
  if (as === "failure") {
    return { data, ...failed(subject, { error, basis: "attested" }) }
  }
  const abandoned = { data: { state: states.abandoned }, status: "unknown", output: error } as const
  return { data, content: { reconciled: reconciledBy(subject, abandoned) } }
}

const isMasked = ({ open, state }: ActionInFlight): boolean =>
  open.undoes !== undefined && OpenActions.of(state)[open.undoes] !== undefined

interface AboutPlan {
  readonly action: string
  readonly as: Exclude<HoldVerdict, "noted">
  readonly given: Said
}

/** Resolves the current step of a plan: undone, tried again, or given up with its reversal. */
const ofPlan = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  plan: UndoPlan.OpenPlan,
  about: AboutPlan
): Resolved => {
  const { as, given } = about
  const undone = undoneAt(state, plan) ?? ""
  const begun = plan.at === undefined ? undefined : findAction(terms, state, plan.at)
  const decided = { ...given, action: undone, plan: plan.id }
  if (as === "reopened" || as === "resent") return triedAgain(state, plan, { ...about, begun, decided })
  if (as === "success") return undoneBy({ ...about, begun, decided })
  const original = findAction(terms, state, undone)
  const undo = left[as]
  const output = given.evidence ?? ""
  const early = as === "failure" ? (arriving(undone, begun) ?? arriving(undone, original)) : undefined
  if (early !== undefined) return Result.fail(early)
  const ends = { data: { state: states[as] }, status: as === "failure" ? "error" : "unknown", output } as const
  const closed = begun === undefined ? [] : [reconciledBy(begun, ends)]
  if (original === undefined) return Result.succeed({ data: { ...decided, undo }, content: { closed } })
  return Result.succeed({
    data: { ...decided, undo, state: states[as] },
    content: { closed, reconciled: reconciledBy(original, ends) }
  })
}

/** Resolves an act that was taken back in part, or on its tool's word alone. */
const ofDoubt = (plan: UndoPlan.OpenPlan | undefined, { action, as, given }: AboutPlan): Resolved => {
  if (as === "reopened" || as === "resent") {
    return refused(action, "verdict.unknown", { given: as, verdicts: Object.keys(left) })
  }
  if (plan !== undefined) return refused(action, "plan.open", { plan: plan.id })
  if (given.record !== undefined) return refused(action, "record.not_wanted", {})
  return Result.succeed({ data: { ...given, undo: left[as] }, content: CommitContent.nothing })
}

const left = { success: "attested", failure: "standing", abandoned: "undo_abandoned" } as const

/** Acts of the run that a planner took back in part, or on a tool's word alone. */
const doubted = (state: State): ReadonlyArray<string> =>
  SettledActions.inOrder(state).flatMap(([action, { undo }]) => (undo === "doubtful" ? [action] : []))

interface AboutStep extends AboutPlan {
  readonly begun: ActionInFlight | undefined
  readonly decided: Said
}

/** Ends a step of a plan on a person's word that it is undone. An open reversal is settled and not sent again. */
const undoneBy = ({ action, begun, decided, given }: AboutStep): Resolved => {
  const data = { ...decided, undo: "attested" } as const
  if (begun === undefined) {
    return given.record === undefined
      ? Result.succeed({ data, content: CommitContent.nothing })
      : refused(action, "record.not_wanted", {})
  }
  const broken = brokenBy(begun, given)
  if (broken !== undefined) return Result.fail(broken)
  return Result.map(Attestation.of(begun, given.record), (attested) => ({
    data,
    content: succeeded(attested).content
  }))
}

/**
 * Has a step verified or sent again under its present attempt. A step that was refused for good, or not begun, begins
 * anew.
 */
const triedAgain = (state: State, plan: UndoPlan.OpenPlan, about: AboutStep): Resolved => {
  const { action, as, begun, decided } = about
  const tried = { ...decided, undo: "undoing" } as const
  if (begun === undefined) {
    if (as === "resent") return refused(action, "reversal.not_open", {})
    const original = OpenActions.of(state)[decided.action ?? ""]
    return Result.succeed({
      data: { ...tried, ...(original && { state: states.reopened }) },
      content: CommitContent.nothing
    })
  }
  if (plan.status !== "stopped" && !OpenAction.isFrozen(begun.open)) {
    return refused(action, "action.goes_on", {})
  }
  const early = as === "resent" ? arriving(action, begun) : undefined
  if (early !== undefined) return Result.fail(early)
  return Result.succeed({ data: { ...tried, reopens: begun.id }, content: CommitContent.nothing })
}

const reconciledBy = (
  { id, open }: ActionInFlight,
  about: {
    readonly status: "ok" | "error" | "unknown"
    readonly output: Json
    readonly data?: Payload.Of<"action.reconciled">
  }
): CommitContent.Said<"action.reconciled"> => ({
  action: { id, ...(open.target === undefined ? {} : { target: open.target }) },
  ...(about.data === undefined ? {} : { data: about.data }),
  result: { basis: "attested", output: about.output, status: about.status, trust: Trust.of("word") }
})

/**
 * Lists the actions of a run that wait for a resolution: open actions, undoings that failed or cannot begin, and acts
 * that were taken back in part.
 */
export const pending = (state: State): ReadonlyArray<string> => {
  const plan = UndoPlan.open(state)
  const wanted = UndoPlan.wanted(state)
  const open = Object.entries(OpenActions.of(state)).filter(([, each]) => each?.class !== "read_only")
  return [
    ...new Set([
      ...(plan?.status === "stopped" && plan.failed !== undefined ? [plan.failed] : []),
      ...(plan === undefined ? [] : [UndoPlan.waiting(plan)]),
      ...(wanted === undefined
        ? []
        : [wanted.subject ?? wanted.actions.find((id) => SettledActions.of(state).has(id))]),
      ...owing(state).map(([action]) => action),
      ...doubted(state),
      ...open.filter(([, each]) => each?.undoes === undefined || plan === undefined).map(([id]) => id)
    ])
  ].filter((id) => id !== undefined)
}

/**
 * Lists the subtasks behind a pivot that wait for a person although no action of them is open, by the action or the
 * pivot.
 */
const owing = (state: State): ReadonlyArray<readonly [string, Obligations.Obligation]> =>
  Obligations.all(state)
    .filter((each) => each.state === "review_required")
    .map((each) => [each.failed?.action ?? each.pivot, each] as const)
    .filter(([action]) => OpenActions.of(state)[action] === undefined)

const unknownVerdict = ({ action, as }: JsonObject = {}): Check.Check =>
  Check.fail("approval", typeof action === "string" ? action : "", "verdict.unknown", { given: as ?? null, verdicts })

const isVerdict = (value: Json | undefined): value is HoldVerdict => verdicts.some((each) => each === value)
