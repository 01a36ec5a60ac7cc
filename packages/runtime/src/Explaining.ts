/**
 * Says why a tick came out as it did: as conditions, each with what it saw and what would make it pass.
 *
 * The trace keeps what decided. The rest is decided again from the state
 * before, which is possible because the kernel is pure, and is taken only
 * where it comes out as it did then.
 *
 * @since 0.1.0
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import type * as Check from "@backstitch/kernel/Check"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import type * as Finding from "@backstitch/kernel/Finding"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Moves from "@backstitch/kernel/Moves"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as Latch from "@backstitch/reducer/Latch"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as ApprovedArguments from "./ApprovedArguments.ts"
import * as Conjunct from "./Conjunct.ts"
import * as Forking from "./Forking.ts"
import * as History from "./History.ts"
import { importOf } from "./internal/importOf.ts"
import * as Library from "./Library.ts"
import * as Listing from "./Listing.ts"
import * as Settling from "./Settling.ts"
import * as Steps from "./Steps.ts"

/**
 * An explanation. It is JSON as it stands.
 *
 * @category models
 * @since 0.1.0
 */
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
  /** What it was about, in one line. */
  readonly about: string
  readonly why: string
  readonly pack: { readonly id: string; readonly version: string; readonly digest: string } | null
  readonly checks: ReadonlyArray<Conjunct.Conjunct>
  readonly next: ReadonlyArray<string>
}

/**
 * Explains a tick, under the contract that bound it then or under another one that is given.
 *
 * @category combinators
 * @since 0.1.0
 */
export const explain = Effect.fn("Explaining.explain")(function* (
  run: Run,
  tick: number,
  options: { readonly pack?: TaskPack.TaskPack | undefined } = {}
) {
  const history = yield* History.History
  const library = yield* Library.Library
  const { head } = yield* history.info(run)
  if (!Number.isInteger(tick) || tick < 1 || tick > head.tick) {
    return yield* new History.TickOutOfRange({ run: run.id, tick, last: head.tick })
  }
  let found: Step.Step | undefined
  yield* Steps.walk(run, { from: tick, to: tick }, (step) => {
    found = step
  })
  const step = found!
  const pack = options.pack ?? (yield* library.folding(() => library.packAt(step.before, tick)))
  const end = yield* Settling.head(run)
  const lineage = (yield* history.root(run)).id
  const transitions = yield* history.transitions(run)
  const known = Settling.known(transitions)
  const changed = yield* ApprovedArguments.differ(run, step)
  const denied = deniedIn(step, transitions)
  const subject: Subject = { run, lineage, step, pack, end, known, transitions, changed, denied }
  const explained = yield* library.folding(() => answer(subject))
  const checks = yield* Effect.forEach(explained.checks, (check) => freeing(run, check))
  const elsewhere = yield* awaitedStep(run, step)
  const freed = checks.flatMap(({ ok, remedy, step }) =>
    ok || remedy === undefined || step !== "target" ? [] : [remedy]
  )
  const next = elsewhere === undefined ? freed : [elsewhere, Settling.resume(run)]
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

/** The step that settles an act of another run for which this one waits. */
const awaitedStep = Effect.fnUntraced(function* (run: Run, { transition: { body } }: Step.Step) {
  const { action, run: id } = Canonical.objectOf(body.data?.["awaits"])
  if (typeof action !== "string" || typeof id !== "string") return undefined
  const settling = yield* Settling.at({ tenant: run.tenant, id: id as Run["id"] }, action)
  return settling?.next
})

/** How a target that another holds comes free: by the step that settles its action, or by now it is. */
const freeing = Effect.fnUntraced(function* (run: Run, check: Conjunct.Conjunct) {
  if (check.ok || check.step !== "target") return check
  const held = (yield* Listing.holds(run.tenant, "target")).find(({ name }) => name === check.id)
  const remedy = held === undefined ? `it is free by now: ${Settling.resume(run)}` : held.settle
  return { ...check, remedy }
})

interface Subject {
  readonly run: Run
  readonly lineage: string
  readonly step: Step.Step
  readonly pack: TaskPack.TaskPack | undefined
  /** The head, where an action may still be open. */
  readonly end: Settling.Standpoint
  readonly transitions: ReadonlyArray<Transition>
  readonly known: Settling.Known
  readonly changed: ReadonlyArray<ApprovedArguments.Difference>
  /** The review in which a person denied what was refused here. */
  readonly denied: Denied | undefined
}

interface Denied {
  readonly review: string
  readonly needs: ReadonlyArray<string>
}

/** The last review of the same tool and arguments that was denied before a refusal. */
const deniedIn = (
  { before, transition: { body } }: Step.Step,
  transitions: ReadonlyArray<Transition>
): Denied | undefined => {
  const { params = null, tool } = body.data ?? {}
  if (body.type !== "intent.refused") return undefined
  const found = [...Reviews.of(before)].findLast(([, { tick, tool: of, verdict }]) => {
    if (of !== tool || verdict !== "denied") return false
    const asked = transitions.find((each) => each.tick === tick)?.body.data?.["params"] ?? null
    return Canonical.equals(asked, params)
  })
  return found === undefined ? undefined : { review: found[0], needs: found[1].needs }
}

type Answer = Pick<Explanation, "verdict" | "why" | "checks" | "next">

const anomalous = ({ run, step }: Subject): Pick<Answer, "why" | "next"> => {
  const { action, at, from, kind, to, tool } = step.transition.body.data ?? {}
  if (kind !== Moves.kind) {
    const why = `an invariant was broken, or an author overstepped: ${String(kind ?? "unnamed")}`
    return { why, next: [`backstitch bisect ${run.id} --anomaly`] }
  }
  const claim = typeof at === "number" ? `tick ${at} claims` : "an answer that came after it was settled claims"
  const why = `${claim} that ${action} (${tool}) went from ${from} to ${to}, which is not permitted: it is still ${from}`
  return { why, next: [`backstitch action ${action} --run ${run.id}`] }
}

const answer = (subject: Subject): Answer => {
  const { body } = subject.step.transition
  switch (body.type) {
    case "intent.refused":
      return refused(subject)
    case "policy.decision":
      return awaited(subject) ?? asked(subject, "parked")
    case "intent.adopted":
      return answered(subject)
    case "review.requested":
      return body.action === undefined ? asked(subject, "asked") : aboutAction(subject)
    case "budget.exhausted":
      return exhausted(subject)
    case "predicate.violation":
      return violated(subject)
    case "kernel.anomaly":
      return { verdict: "anomaly", checks: [], ...anomalous(subject) }
    case "run.cherrypick":
      return { verdict: "committed", ...importOf(body.data ?? {}), next: [] }
    default:
      return body.action === undefined && body.type !== "review.decided" ? allowed(subject) : aboutAction(subject)
  }
}

/** Every condition, those that held too, where deciding again comes out as it did. */
const refused = (subject: Subject): Answer => {
  const { body } = subject.step.transition
  const recorded = checksOf(body.data?.["checks"])
  const again = decideAgain(subject)
  const failing = (checks: ReadonlyArray<Check.Check>) =>
    checks.flatMap(({ id, ok, step }) => (ok ? [] : [`${step} ${id}`])).join()
  const checks = failing(again) === failing(recorded) || recorded.length === 0 ? again : recorded
  return {
    verdict: "refused",
    why: `${Wording.kept(body.data?.["checks"]) ?? "it was refused"}${binding(subject, checks)}`,
    checks: checks.map((check) => Conjunct.make(subject, { ...check, ...passing(subject, check) })),
    next: checks.flatMap((check) => {
      const remedy = passing(subject, check).remedy ?? Wording.check(check)?.remedy
      return check.ok || remedy === undefined ? [] : [remedy]
    })
  }
}

/** A budget is used up by the refusal that it stands behind: that says what was asked, and what goes on. */
const exhausted = ({ run, step }: Subject): Answer => {
  const { budget, why: found } = step.transition.body.data ?? {}
  const { what, why: max = "" } = Wording.of(found as Finding.Any)
  const why = `the budget ${text(budget)} is used up: ${max}, and it would be ${what}`
  return { verdict: "committed", why, checks: [], next: [`backstitch explain ${run.id}@${step.transition.tick - 1}`] }
}

/**
 * The command that passes a check, where one does. What was violated stays so: another run begins before it, and before
 * what was undone since, under another contract if this one asks too much. A budget that nobody else holds is raised in
 * the contract of a fork. Who denied a call may still approve it. What another run has reversed is done once more if
 * the user says so.
 */
const passing = (
  { denied, run, step, transitions }: Subject,
  { code, id, ok, step: conjunct }: Check.Check
): { readonly remedy?: string } => {
  const { tick: at } = step.transition
  if (conjunct === "approval" && denied !== undefined) {
    return { remedy: `${Settling.decide(run, denied)} (or propose something else)` }
  }
  if (conjunct === "budget" && !ok && Amount.of(BudgetUse.reservedOf(BudgetUse.of(step.before)), id) === 0) {
    return {
      remedy: `${Settling.fork(run, Forking.clear(transitions, at - 1).from)} --pack FILE (which allows more in budgets.${id})`
    }
  }
  if (code === ("act.reversed" satisfies Finding.Code)) {
    return { remedy: `${Settling.resume(run)} --again ${step.transition.tick}` }
  }
  const tick = conjunct === "policy" ? Latch.of(step.before)[id] : undefined
  return tick === undefined ? {} : { remedy: Settling.fork(run, Forking.clear(transitions, tick - 1).from) }
}

/** Who only observes the contract is told why something was refused nevertheless. */
const binding = ({ step }: Subject, checks: ReadonlyArray<Check.Check>): string => {
  const { proposed, tool } = step.transition.body.data ?? {}
  const subjects = [tool, proposed].filter((each) => typeof each === "string")
  const isBound = checks.some(({ ok, step: conjunct }) => !ok && (conjunct === "key" || conjunct === "target"))
  return isBound && Enforcement.isObserved(step.before, subjects)
    ? ". The contract is only observed here; keys and held targets bind at every stage"
    : ""
}

const decideAgain = ({ lineage, pack, run, step }: Subject): ReadonlyArray<Check.Check> => {
  const { body, stamp, tick } = step.transition
  const { params, proposed, tool } = body.data ?? {}
  const proposal: Proposal = {
    type: String(proposed ?? "action.request"),
    ...(typeof tool === "string" ? { tool, params: params ?? {} } : {}),
    ...(body.intent?.dependsOn === undefined ? {} : { dependsOn: body.intent.dependsOn })
  }
  const terms = { run, lineage, now: stamp.asOf, tick, secret: "", pack }
  const { next } = Interpreter.rehearse(Kernel.standard, terms, step.before, { _tag: "Propose", proposal })
  return next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
}

/** What was done before answers a proposal: nothing more is to be done, and where it was done is a step away. */
const answered = ({ run, step }: Subject): Answer => {
  const { adopted, count = 1 } = step.transition.body.data ?? {}
  const { action, run: by = run.id, tick } = Canonical.objectOf(adopted)
  const name = action === undefined ? `tick ${String(tick)}` : `${String(action)}, settled at tick ${String(tick)}`
  const where = by === run.id ? name : `${name} of run ${String(by)}`
  const often = count === 1 ? "" : `, ${String(count)} times`
  return {
    verdict: "answered",
    why: `it was done already (${where}): the record answered${often}, and nothing was sent`,
    checks: [],
    next: [action === undefined ? `backstitch explain ${by}@${tick}` : `backstitch action ${action} --run ${by}`]
  }
}

/** Another run has begun the act: what settles it there lets this run go on. */
const awaited = ({ pack, run, step }: Subject): Answer | undefined => {
  const { awaits, checks } = step.transition.body.data ?? {}
  if (awaits === undefined) return undefined
  const found = checksOf(checks)
  const again = `backstitch resume ${run.id} --agent FILE`
  return {
    verdict: "held",
    why: Wording.reason(found),
    checks: found.map((check) => Conjunct.make({ pack, step }, check)),
    next: [`backstitch resume ${Canonical.objectOf(awaits)["run"]} --agent FILE`, again]
  }
}

/** Nothing was sent: a person has to decide first, or has by now. */
const asked = (subject: Subject, verdict: "asked" | "parked"): Answer => {
  const { changed, end, pack, run, step } = subject
  const { data = {} } = step.transition.body
  const tool = String(data["tool"] ?? "")
  const approval = TaskPack.approvalOf(pack, tool)
  const needs = Array.isArray(data["needs"]) ? data["needs"].map(String) : []
  const [check] = checksOf(data["checks"])
  const source = approval?.when === undefined ? undefined : Condition.source(approval.when)
  const review = typeof data["review"] === "string" ? data["review"] : ""
  const known = Reviews.of(end.state).get(review)
  const isOpen = Reviews.pending(end.state).some(([id]) => id === review)
  const decided = known?.verdict === "approved" || known?.verdict === "denied" ? known : undefined
  const found =
    decided !== undefined
      ? `${decided.verdict} by ${decided.by} (${decided.role})`
      : ((check && Wording.check(check)?.found) ?? "nobody has approved it")
  const approve = review === "" ? `ask ${needs.join(" or ")} to decide` : Settling.decide(run, { review, needs })
  const remedy = isOpen || review === "" ? approve : Settling.resume(run)
  const why = data["why"] === undefined ? "a person has to decide" : Wording.tell(data["why"])
  return {
    verdict,
    why: `${why}; nothing was sent`,
    checks: [
      {
        ok: decided?.verdict === "approved",
        step: "approval",
        id: tool,
        expected: `the approval of ${needs.join(" or ")}, for exactly this`,
        found,
        remedy,
        ...(source === undefined ? {} : { source }),
        ...Conjunct.lineIn(pack, ["approvals", tool])
      },
      ...changed.map(({ approved, asked, by, path, review }) => ({
        ok: false,
        step: "argument",
        id: path,
        expected: `${approved}, as ${by} approved it (${review})`,
        found: asked
      }))
    ],
    next: [remedy]
  }
}

const violated = (subject: Subject): Answer => {
  const { pack, run, step } = subject
  const { data } = step.transition.body
  const id = String(data?.["predicate"] ?? "")
  const at = Number(data?.["at"] ?? step.transition.tick)
  return {
    verdict: "violated",
    why: `predicate ${id} first held after tick ${at}`,
    checks: [Conjunct.make({ ...subject, pack }, { ok: false, step: "policy", id })],
    next: [`backstitch bisect ${run.id} --predicate ${id}`]
  }
}

/** What a tick says of an action, and what settles that where it is still open at the head. */
const aboutAction = (subject: Subject): Answer => {
  const { end, known, step } = subject
  const { body } = step.transition
  const id = body.action?.id ?? text(body.data?.["action"])
  const doubts = doubtsOf(subject, id)
  const settling = Settling.of(end, id, known)
  const own = saidOf(step)
  const verdict = verdictOf(body.type)
  if (settling === undefined) {
    const isLookedFor = Reviews.standing(end.state).some(([, { action }]) => action === id)
    const next = isLookedFor ? [Settling.resolve(end, id)] : []
    if (own !== undefined) return { verdict, why: own, checks: doubts, next }
    if (doubts.some(({ ok }) => !ok)) {
      const why = "the outcome was in doubt at this tick, and is settled by now"
      return { verdict: "held", why, checks: doubts, next: [] }
    }
    return allowed(subject)
  }
  const { next, since, stands } = settling
  const { target, tool = "" } = OpenActions.of(end.state)[id] ?? {}
  const holds = target === undefined ? "" : `; until it is settled it holds ${target}, and nothing else may change that`
  const now = `${tool} (${id}) ${stands}, since tick ${since}${holds}`
  const settled = { ok: false, step: "settlement", id, expected: "a settled outcome", found: stands, remedy: next }
  return {
    verdict: own === undefined ? "held" : verdict,
    why: own === undefined ? now : `${own}. ${now}`,
    checks: [...doubts, settled],
    next: [next]
  }
}

const verdictOf = (type: string): "asked" | "decided" | "settled" =>
  type === "review.requested" ? "asked" : type === "action.reconciled" ? "settled" : "decided"

const doubtsOf = (subject: Subject, action: string): ReadonlyArray<Conjunct.Conjunct> => {
  const { known, step } = subject
  const { data, result } = step.transition.body
  const unmet = data?.["unmet"]
  const { params = null, tool = "" } = known.histories.get(action) ?? {}
  if (Array.isArray(unmet)) {
    return Conjunct.readback(subject, { action, tool, params, unmet: unmet as ReadonlyArray<Finding.Any> })
  }
  const found = JSON.stringify(result?.output ?? null)
  return result?.status === "unknown" ? [{ ok: false, step: "answer", id: action, expected: "an answer", found }] : []
}

/** What was decided of an action, and on what, for a tick that decides; `undefined` for evidence. */
const saidOf = ({ transition: { body } }: Step.Step): string | undefined => {
  const { data = {}, result, type } = body
  if (type === "recovery.decided") {
    const { decision, discrepancy, row } = data
    const by = typeof row === "number" ? `, by row ${row} of the table` : ""
    const name = text(decision)
    const means = RecoveryAction.isOne(name) ? `: ${RecoveryAction.definition(name).meaning}` : ""
    const because = Wording.because(data)
    const why = because === undefined ? "" : `, because ${because}`
    return `${text(discrepancy)}: ${name}${by}${means}${why}`
  }
  if (type === "review.requested") {
    const triggers = Array.isArray(data["triggers"]) ? data["triggers"].map(String) : []
    return `a person is asked to look at it${triggers.length === 0 ? "" : `: ${triggers.join(", ")}`}`
  }
  if (type === "review.decided") {
    const { as, by, evidence, reason, role, verdict } = data
    const on = text(evidence) || text(reason)
    return `${text(by)}${text(role) === "" ? "" : ` (${text(role)})`} decided ${text(verdict) || text(as)}${on === "" ? "" : `: ${on}`}`
  }
  if (type !== "action.reconciled") return undefined
  const came = { ok: "done", error: "failed", unknown: "unknown", mismatch: "not as intended" }[
    result?.status ?? "unknown"
  ]
  return `it was settled as ${came}, on what rests on ${result?.basis ?? "the record"}`
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

const allowed = (subject: Subject): Answer => {
  const { pack, step } = subject
  const { body } = step.transition
  const effect = Step.effect(step)
  if (body.policy === undefined) return { verdict: "committed", why: effect, checks: [], next: [] }
  const tool = body.action?.tool
  const { action, run: by } = Canonical.objectOf(body.data?.["adopted"])
  const taken = by === undefined ? "" : `${String(action)} of run ${String(by)} had done it, so nothing was sent; `
  const guards = (pack?.guards ?? []).filter(({ on }) => on.includes(tool ?? "") || on.includes(body.type))
  const named = body.policy.checks.filter((name) => name !== "guard")
  return {
    verdict: "allowed",
    why: `${taken}${effect}`,
    checks: [
      ...named.map((name) => ({ ok: true, step: name, id: tool ?? body.type })),
      ...guards.map(({ id }) => Conjunct.make(subject, { ok: true, step: "guard", id }))
    ],
    next: by === undefined ? [] : [`backstitch action ${action} --run ${by}`]
  }
}

const checksOf = (value: Json | undefined): ReadonlyArray<Check.Check> =>
  Array.isArray(value) ? (value as ReadonlyArray<Check.Check>) : []

const aboutOf = ({ tool, transition: { body } }: Step.Step): string => {
  const { params, proposed, tool: named } = body.data ?? {}
  const what = tool ?? (typeof named === "string" ? named : typeof proposed === "string" ? proposed : body.type)
  const given = body.action?.params ?? params
  return given === undefined ? what : `${what} ${JSON.stringify(given)}`
}
