/**
 * Explains the result of a tick: each condition, the values that it saw, and the steps that would make it pass.
 *
 * The trace keeps the decisive conditions. The others are evaluated again in the state before the tick, by the pure
 * kernel, and are shown only if the decision comes out the same.
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import * as Check from "@backstitch/kernel/Check"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as InvalidMove from "@backstitch/kernel/InvalidMove"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Latch from "@backstitch/reducer/Latch"
import * as Alarms from "@backstitch/topology/Alarms"
import type * as Crack from "@backstitch/topology/Crack"
import * as Run from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as OpenRecord from "../history/openRecord.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Steps from "../history/Steps.ts"
import * as ApprovedArguments from "../pending/ApprovedArguments.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as ClaimList from "../projections/ClaimList.ts"
import * as Forking from "../versioning/Forking.ts"
import * as ExplainedCheck from "./ExplainedCheck.ts"
import { importConditions } from "./importConditions.ts"

/** An explanation, as plain JSON. */
export interface Explanation {
  readonly run: string
  readonly tick: number
  readonly type: string
  readonly verdict:
    | "refused"
    | "held"
    | "parked"
    | "answered"
    | "asked"
    | "decided"
    | "settled"
    | "violated"
    | "anomaly"
    | "allowed"
    | "committed"
  /** The subject of the explanation, in one line. */
  readonly about: string
  readonly why: string
  readonly pack: { readonly id: string; readonly version: string; readonly digest: string } | null
  readonly checks: ReadonlyArray<ExplainedCheck.ExplainedCheck>
  readonly next: ReadonlyArray<Next.Next>
}

/** Explains a tick under the pack of that time, or under another given pack. */
export const explain = Effect.fn("Explanation.explain")(function* (
  run: Run.Run,
  tick: number,
  options: { readonly pack?: TaskPack.TaskPack | undefined } = {}
) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  if (!Number.isInteger(tick) || tick < 1 || tick > head.tick) {
    return yield* new History.TickOutOfRange({ run: run.id, tick, last: head.tick })
  }
  let found: Step.Step | undefined
  yield* Steps.walk(run, { from: tick, to: tick }, (step) => {
    found = step
  })
  const step = found!
  const pack = options.pack ?? (yield* library.inForce(step.before, tick))
  const end = yield* OpenActionStatus.head(run)
  const lineage = (yield* history.root(run)).id
  const transitions = yield* history.transitions(run)
  const known = OpenActionStatus.known(transitions)
  const changed = yield* ApprovedArguments.differ(run, step)
  const { words } = end
  const crack = yield* crackOf(run, step)
  const subject: Subject = { run, lineage, step, pack, end, known, transitions, changed, words, crack }
  const explained = yield* library.folding(() => answer(subject))
  const checks = yield* Effect.forEach(explained.checks, (check) => freeing(run, check, words))
  const elsewhere = yield* awaitedStep(run, step)
  const freed = checks.flatMap(({ next = [], ok, step }) => (ok || step !== "target" ? [] : next))
  const next = elsewhere === undefined ? freed : [elsewhere, OpenActionStatus.resume(run)]
  const explanation: Explanation = {
    run: run.id,
    tick,
    type: step.transition.body.type,
    about: aboutOf(step),
    pack: pack === undefined ? null : { id: pack.id, version: pack.version, digest: pack.digest },
    ...explained,
    ...(next.length === 0 ? {} : { checks, next })
  }
  return explanation
})

/** The step that settles an act of another run for which this run waits. */
const awaitedStep = Effect.fnUntraced(function* (run: Run.Run, { transition: { body } }: Step.Step) {
  const { action, run: other } = Payload.of(body, "policy.decision")?.awaits ?? {}
  if (action === undefined || other === undefined) return undefined
  const settling = yield* OpenActionStatus.at(Run.make(other, run.tenant), action)
  return settling?.next
})

/**
 * Adds to a check of a held target the step that releases it: settling the holder's action, or continuing if the
 * target is free by now.
 */
const freeing = Effect.fnUntraced(function* (run: Run.Run, check: ExplainedCheck.ExplainedCheck, words: Words) {
  if (check.ok || check.step !== "target") return check
  const [held] = yield* ClaimList.claims(run.tenant, { namespace: "target", name: check.id })
  return { ...check, next: [held?.settle ?? { ...OpenActionStatus.resume(run), words: words.explanations.free }] }
})

/** The crack that an alarm records, found again in the transitions before it. */
const crackOf = Effect.fnUntraced(function* (run: Run.Run, { transition: { body, tick } }: Step.Step) {
  const alarm = Alarms.recordedIn(body)
  if (alarm === undefined) return undefined
  const history = yield* History.History
  return (yield* OpenRecord.alarmsOf(history.stored, run, tick))?.raised.get(alarm.crack)
})

interface Subject {
  readonly run: Run.Run
  readonly lineage: string
  readonly step: Step.Step
  readonly pack: TaskPack.TaskPack | undefined
  /** The head of the run, where an action may still be open. */
  readonly end: OpenActionStatus.Standpoint
  readonly transitions: ReadonlyArray<Transition>
  readonly known: OpenActionStatus.ActionFacts
  readonly changed: ReadonlyArray<ApprovedArguments.ArgumentDifference>
  readonly words: Words
  /** The crack, if the step is the record of an alarm. */
  readonly crack: Crack.Crack | undefined
}

type Answer = Pick<Explanation, "verdict" | "why" | "checks" | "next">

const anomalous = (
  { run: { id: run }, words: { explanations } }: Subject,
  action: string | undefined,
  { at, from, kind, to, tool }: Payload.Of<"kernel.anomaly">
): Answer => {
  const anomaly = { checks: [], verdict: "anomaly" } as const
  if (kind === InvalidMove.unrequested) {
    const why = explanations.unrequested({ action, tick: at })
    return { ...anomaly, why, next: [{ run, verb: "bisect" }] }
  }
  if (kind !== InvalidMove.kind || action === undefined) {
    const why = explanations.anomaly(kind)
    return { ...anomaly, why, next: [{ run, verb: "bisect" }] }
  }
  const why = explanations.invalidMove({ action, from, tick: at, to, tool })
  return { ...anomaly, why, next: [{ action, run, verb: "action" }] }
}

const answer = (subject: Subject): Answer => {
  const body = Payload.read(subject.step.transition.body)
  switch (body.type) {
    case "intent.refused":
      return refused(subject, body.data ?? {})
    case "policy.decision":
      return heldByOther(subject, body.data ?? {}) ?? asked(subject, { ...body.data, verdict: "parked" })
    case "intent.adopted":
      return answered(subject, body.data)
    case "review.requested":
      return body.action === undefined ? asked(subject, { ...body.data, verdict: "asked" }) : aboutAction(subject)
    case "budget.exhausted":
      return exhausted(subject, body.data)
    case "predicate.violation":
      return violated(subject, body.data)
    case "kernel.anomaly":
      return anomalous(subject, body.action?.id, body.data)
    case "run.cherrypick":
      return { verdict: "committed", ...importConditions(body.data, subject.words), next: [] }
    default:
      return body.action === undefined && body.type !== "review.decided" ? allowed(subject) : aboutAction(subject)
  }
}

/** Every condition, including those that held, if deciding again gives the same result. */
const refused = (subject: Subject, data: Payload.Of<"intent.refused">): Answer => {
  const recorded = checksOf(data)
  const again = decideAgain(subject, data)
  const failing = (checks: ReadonlyArray<Check.Check>) =>
    Check.failing(checks)
      .map(({ id, step }) => `${step} ${id}`)
      .join()
  const checks = failing(again) === failing(recorded) || recorded.length === 0 ? again : recorded
  const about = { run: subject.run.id }
  const why = Wording.kept(data.checks, subject.words) ?? subject.words.explanations.refused
  const told = checks.map((check) => {
    const passed = passing(subject, check)
    const steps = passed === undefined ? (Wording.check(check, subject.words)?.next ?? []) : [passed]
    return ExplainedCheck.make(subject, { ...check, next: steps.map((step) => Next.about(step, about)) })
  })
  return {
    verdict: "refused",
    why: isOnlyBound(subject, data, checks) ? subject.words.explanations.observedOnly(why) : why,
    checks: told,
    next: told.flatMap(({ next = [], ok }) => (ok ? [] : next))
  }
}

/** Points to the tick before: `budget.exhausted` follows the refusal that reports the used budget. */
const exhausted = ({ run, step, words }: Subject, { budget, why: found }: Payload.Of<"budget.exhausted">): Answer => {
  const { what, why: max = "" } = Wording.of(found, words)
  const why = words.explanations.budget({ budget, found: what, max })
  const next: Next.Next = { run: run.id, tick: step.transition.tick - 1, verb: "explain" }
  return { verdict: "committed", why, checks: [], next: [next] }
}

/**
 * The step that makes a check pass, if there is one. A violation remains, so another run begins before it, before
 * what was undone since, and under another pack if this one demands too much. A budget is raised in the pack
 * of a fork, unless another action still holds a part of it. An act that another run has reversed, or a person has
 * denied, is requested again if the user asks for it.
 */
const passing = ({ run, step, transitions, words }: Subject, check: Check.Check): Next.Next | undefined => {
  const { tick: at } = step.transition
  const { id, step: conjunct } = check
  if (check.why?.code === "approval.denied") {
    return { again: at, or: [{ verb: "propose", words: words.explanations.otherwise }], run: run.id, verb: "resume" }
  }
  if (
    conjunct === "budget" &&
    !Check.isOk(check) &&
    Amount.of(BudgetUse.reservedOf(BudgetUse.of(step.before)), id) === 0
  ) {
    return { ...Forking.before(run, at, transitions), pack: true, words: words.explanations.more(id) }
  }
  if (check.why?.code === "act.reversed") return { again: at, run: run.id, verb: "resume" }
  const tick = conjunct === "policy" ? Latch.of(step.before)[id] : undefined
  return tick === undefined ? undefined : Forking.before(run, tick, transitions)
}

/** Adds, for a refusal at a stage that only observes, that keys and held targets are enforced at every stage. */
const isOnlyBound = (
  { step }: Subject,
  { proposed, tool }: Payload.Of<"intent.refused">,
  checks: ReadonlyArray<Check.Check>
): boolean => {
  const subjects = [tool, proposed].filter((each) => each !== undefined)
  const isBound = Check.failing(checks).some(({ step: conjunct }) => conjunct === "key" || conjunct === "target")
  return isBound && Enforcement.isObserved(step.before, subjects)
}

const decideAgain = (
  { lineage, pack, run, step }: Subject,
  { params = {}, proposed = "action.request", tool }: Payload.Of<"intent.refused">
): ReadonlyArray<Check.Check> => {
  const { body, stamp, tick } = step.transition
  const proposal: Proposal = {
    type: proposed,
    ...(tool === undefined ? {} : { tool, params }),
    ...(body.intent?.dependsOn === undefined ? {} : { dependsOn: body.intent.dependsOn })
  }
  const terms = { run, lineage, now: stamp.asOf, tick, secret: "", pack }
  const { next } = Interpreter.rehearse(Kernel.standard, terms, step.before, { _tag: "Propose", proposal })
  return next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
}

/**
 * Explains a proposal that was answered from the record: nothing is left to do, and the step shows the earlier
 * action.
 */
const answered = ({ run, words }: Subject, { adopted, count = 1 }: Payload.Of<"intent.adopted">): Answer => {
  const { action, run: by = run.id, tick } = adopted
  return {
    verdict: "answered",
    why: words.explanations.answered({ action, count, run: by === run.id ? undefined : by, tick }),
    checks: [],
    next: [action === undefined ? { run: by, tick, verb: "explain" } : { action, run: by, verb: "action" }]
  }
}

/** Another run has begun the act. Settling it there lets this run continue. */
const heldByOther = ({ pack, run, step, words }: Subject, data: Payload.Of<"policy.decision">): Answer | undefined => {
  if (data.awaits === undefined) return undefined
  const found = checksOf(data)
  return {
    verdict: "held",
    why: Wording.reason(found, words),
    checks: found.map((check) => ExplainedCheck.make({ pack, step, words }, check)),
    next: [OpenActionStatus.resume(Run.make(data.awaits.run ?? run.id, run.tenant)), OpenActionStatus.resume(run)]
  }
}

/** Nothing was sent: a person has to decide first, or has decided since. */
const asked = (
  subject: Subject,
  data: Partial<Pick<Payload.Of<"review.requested">, "needs" | "review" | "tool" | "why">> &
    Checked & { readonly verdict: "asked" | "parked" }
): Answer => {
  const { changed, end, pack, run, words } = subject
  const { approvals } = words
  const { needs = [], review = "", tool = "", verdict } = data
  const approval = TaskPack.approvalOf(pack, tool)
  const [check] = checksOf(data)
  const source = approval?.when === undefined ? undefined : Condition.source(approval.when)
  const known = Reviews.of(end.state).get(review)
  const isOpen = Reviews.pending(end.state).some(([id]) => id === review)
  const decided = known?.verdict === "approved" || known?.verdict === "denied" ? known : undefined
  const found =
    decided !== undefined
      ? approvals.decided({ by: String(decided.by), role: String(decided.role), verdict: String(decided.verdict) })
      : ((check && Wording.check(check, words)?.found) ?? approvals.missing)
  const approve: Next.Next = review === "" ? { needs, verb: "decide" } : OpenActionStatus.decide(run, { review, needs })
  const next = [isOpen || review === "" ? approve : OpenActionStatus.resume(run)]
  const why = data.why === undefined ? approvals.person : Wording.tell(data.why, words)
  return {
    verdict,
    why: words.explanations.unsent(why),
    checks: [
      {
        ok: decided?.verdict === "approved",
        step: "approval",
        id: tool,
        expected: approvals.of(needs),
        found,
        next,
        ...(source === undefined ? {} : { source }),
        ...ExplainedCheck.lineIn(pack, ["approvals", tool])
      },
      ...changed.map(({ approved, asked, by, path, review }) => ({
        ok: false,
        step: "argument",
        id: path,
        expected: approvals.approved({ approved, by, review }),
        found: asked
      }))
    ],
    next
  }
}

const violated = (subject: Subject, { at, predicate }: Payload.Of<"predicate.violation">): Answer => {
  const { explanations, topologies } = subject.words
  const { crack } = subject
  const latch = { predicate, tick: at }
  return {
    verdict: "violated",
    why:
      crack === undefined
        ? explanations.violated(latch)
        : explanations.alarmed({
            ...latch,
            first: topologies.responses[crack.crack],
            say: topologies.signals[crack.signal](crack)
          }),
    checks: [{ ...ExplainedCheck.make(subject, Check.pass("policy", predicate)), ok: false }],
    next: [{ predicate, run: subject.run.id, verb: "bisect" }]
  }
}

/** Explains a tick about an action, with the step that settles the action if it is still open at the head. */
const aboutAction = (subject: Subject): Answer => {
  const { end, known, step, words } = subject
  const { explanations } = words
  const { body } = step.transition
  const id = body.action?.id ?? Payload.of(body, "review.decided")?.action ?? ""
  const doubts = doubtsOf(subject, id)
  const settling = OpenActionStatus.of(end, id, known)
  const own = saidOf(step, words)
  const verdict = verdictOf(body.type)
  if (settling === undefined) {
    const isLookedFor = Reviews.ofVerification(end.state).some(([, { action }]) => action === id)
    const next = isLookedFor ? [OpenActionStatus.resolve(end, id)] : []
    if (own !== undefined) return { verdict, why: own, checks: doubts, next }
    if (doubts.some(({ ok }) => !ok)) {
      return { verdict: "held", why: explanations.doubtOver, checks: doubts, next: [] }
    }
    return allowed(subject)
  }
  const { next, since, stands } = settling
  const { target, tool = "" } = OpenActions.of(end.state)[id] ?? {}
  const now = explanations.open({ action: id, since, stands, target, tool })
  const settled = {
    ok: false,
    step: "settlement",
    id,
    expected: explanations.expected.settlement,
    found: stands,
    next: [next]
  }
  return {
    verdict: own === undefined ? "held" : verdict,
    why: own === undefined ? now : explanations.sentences([own, now]),
    checks: [...doubts, settled],
    next: [next]
  }
}

const verdictOf = (type: string): "asked" | "decided" | "settled" =>
  type === "review.requested" ? "asked" : type === "action.reconciled" ? "settled" : "decided"

const doubtsOf = (subject: Subject, action: string): ReadonlyArray<ExplainedCheck.ExplainedCheck> => {
  const { known, step, words } = subject
  const { body } = step.transition
  const unmet = Payload.of(body, "action.verified")?.unmet
  const { params = null, tool = "" } = known.histories.get(action) ?? {}
  if (unmet !== undefined) return ExplainedCheck.readback(subject, { action, tool, params, unmet })
  const { result } = body
  const found = JSON.stringify(result?.output ?? null)
  return result?.status === "unknown"
    ? [{ ok: false, step: "answer", id: action, expected: words.explanations.expected.answer, found }]
    : []
}

/** The sentence for a tick that decides about an action; `undefined` for a tick that contains evidence. */
const saidOf = ({ transition }: Step.Step, words: Words): string | undefined => {
  const { explanations } = words
  const body = Payload.read(transition.body)
  switch (body.type) {
    case "recovery.decided":
      return recoverySaid(body.data ?? {}, words)
    case "review.requested": {
      const { triggers = [] } = body.data
      return explanations.asked(triggers)
    }
    case "review.decided": {
      const { as, by = "", evidence, reason, role, verdict } = body.data ?? {}
      return explanations.decided({ by, on: evidence || reason || "", role: role ?? "", verdict: verdict || as || "" })
    }
    case "action.reconciled": {
      const { basis, status = "unknown" } = body.result ?? {}
      return explanations.reconciled({ basis, status })
    }
    default:
      return undefined
  }
}

const recoverySaid = (data: Payload.Of<"recovery.decided">, words: Words): string => {
  const { decision = "", discrepancy = "", row } = data
  const because = Wording.because(data, words)
  const meaning = Wording.recovery(decision, words)
  return words.explanations.recovery({ because, decision, discrepancy, meaning, row })
}

const allowed = (subject: Subject): Answer => {
  const { pack, step, words } = subject
  const { body } = step.transition
  const effect = Wording.effect(Step.effects(step), words)
  if (body.policy === undefined) return { verdict: "committed", why: effect, checks: [], next: [] }
  const tool = body.action?.tool
  const { action, run: by } = Payload.of(body, "action.request")?.adopted ?? {}
  const adopted = by === undefined ? undefined : words.explanations.adopted({ action, run: by })
  const guards = (pack?.guards ?? []).filter(({ on }) => on.includes(tool ?? "") || on.includes(body.type))
  const named = body.policy.checks.filter((name) => name !== "guard")
  return {
    verdict: "allowed",
    why: adopted === undefined ? effect : words.explanations.adoptedBefore({ adopted, effect }),
    checks: [
      ...named.map((name) => ({ ok: true, step: name, id: tool ?? body.type })),
      ...guards.map(({ id }) => ExplainedCheck.make(subject, Check.pass("guard", id)))
    ],
    next: action === undefined || by === undefined ? [] : [{ action, run: by, verb: "action" }]
  }
}

type Checked = Pick<Payload.Of<"policy.decision">, "checks">

/** Each kept step and code of a check is known: it was checked when it was committed. */
const checksOf = ({ checks = [] }: Checked): ReadonlyArray<Check.Check> => checks as ReadonlyArray<Check.Check>

const aboutOf = ({ tool, transition: { body } }: Step.Step): string => {
  const { params, proposed, tool: named } = ExplainedCheck.proposedIn(body)
  const what = tool ?? named ?? proposed ?? body.type
  const given = body.action?.params ?? params
  return given === undefined ? what : `${what} ${JSON.stringify(given)}`
}
