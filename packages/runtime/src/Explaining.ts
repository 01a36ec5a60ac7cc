/**
 * Says why a tick came out as it did: as conditions, each with what it saw and what would make it pass.
 *
 * The trace keeps what decided. The rest is decided again from the state
 * before, which is possible because the kernel is pure, and is taken only
 * where it comes out as it did then.
 *
 * @source DESIGN "Beyond the seeds", `explain`
 * @since 0.1.0
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Check from "@backstitch/kernel/Check"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import * as Finding from "@backstitch/kernel/Finding"
import * as Goal from "@backstitch/kernel/Goal"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Moves from "@backstitch/kernel/Moves"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import type { Run } from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"
import { importOf } from "./internal/importOf.ts"
import * as Library from "./Library.ts"
import * as Steps from "./Steps.ts"

/**
 * One condition: whether it holds, where it stands in the contract, and what it looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface Conjunct {
  readonly ok: boolean
  readonly step: string
  readonly id: string
  readonly expected?: string | undefined
  readonly found?: string | undefined
  readonly remedy?: string | undefined
  /** The condition as the contract writes it, and its line in the file. */
  readonly source?: string | undefined
  readonly line?: number | undefined
  /** Fields that it reads, with what they held. */
  readonly values?: JsonObject | undefined
}

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
  readonly verdict: "refused" | "held" | "parked" | "answered" | "violated" | "anomaly" | "allowed" | "committed"
  /** What it was about, in one line. */
  readonly about: string
  readonly why: string
  readonly pack: { readonly id: string; readonly version: string; readonly digest: string } | null
  readonly checks: ReadonlyArray<Conjunct>
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
  const end = yield* history.at(run, head.tick)
  const lineage = (yield* history.root(run)).id
  const subject: Subject = { run, lineage, step, pack, end: end.state }
  const explained = yield* library.folding(() => answer(subject))
  const explanation: Explanation = {
    run: run.id,
    tick,
    type: step.transition.body.type,
    about: aboutOf(step),
    pack: pack === undefined ? null : { id: pack.id, version: pack.version, digest: pack.digest },
    ...explained
  }
  return explanation
})

interface Subject {
  readonly run: Run
  readonly lineage: string
  readonly step: Step.Step
  readonly pack: TaskPack.TaskPack | undefined
  /** The state of the head, where an action may still be open. */
  readonly end: State.State
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
      return answered(subject) ?? awaited(subject) ?? parked(subject)
    case "predicate.violation":
      return violated(subject)
    case "kernel.anomaly":
      return { verdict: "anomaly", checks: [], ...anomalous(subject) }
    case "run.cherrypick":
      return { verdict: "committed", ...importOf(body.data ?? {}), next: [] }
    default:
      return held(subject) ?? allowed(subject)
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
    why: `${Finding.reasonOf(body.data ?? {}) ?? "it was refused"}${binding(subject, checks)}`,
    checks: checks.map((check) => conjunct(subject, check)),
    next: checks.flatMap(({ ok, remedy }) => (ok || remedy === undefined ? [] : [remedy]))
  }
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
  const { next } = Kernel.decide(terms, step.before, { _tag: "Propose", proposal })
  return next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
}

/** What was done before answers a proposal: nothing more is to be done, and where it was done is a step away. */
const answered = ({ run, step }: Subject): Answer | undefined => {
  const { adopted, count = 1 } = step.transition.body.data ?? {}
  if (adopted === undefined) return undefined
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
    why: Check.reason(found),
    checks: found.map((check) => conjunct({ pack, step } as Subject, check)),
    next: [`backstitch resume ${Canonical.objectOf(awaits)["run"]} --agent FILE`, again]
  }
}

const parked = ({ pack, run, step }: Subject): Answer => {
  const { body } = step.transition
  const tool = String(body.data?.["tool"] ?? "")
  const approval = TaskPack.approvalOf(pack, tool)
  const needs = body.data?.["needs"]
  const names = Array.isArray(needs) ? needs.map(String) : []
  const source = approval?.when === undefined ? undefined : Condition.source(approval.when)
  return {
    verdict: "parked",
    why: body.policy?.notes ?? "a person has to decide",
    checks: [
      {
        ok: false,
        step: "approval",
        id: tool,
        expected: `the approval of ${names.join(" or ")}`,
        found: checksOf(body.data?.["checks"])[0]?.found ?? "nobody has approved it",
        remedy: `${names.join(" or ")} decides`,
        ...(source === undefined ? {} : { source }),
        ...lineIn(pack, ["approvals", tool])
      }
    ],
    next: [
      typeof body.data?.["review"] === "string"
        ? `backstitch approve ${run.id} ${body.data["review"]} --by NAME`
        : `ask ${names.join(" or ")} to decide`
    ]
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
    checks: [conjunct({ ...subject, pack }, { ok: false, step: "policy", id })],
    next: [`backstitch bisect ${run.id} --predicate ${id}`]
  }
}

/** An action that is still open at the head, or was left open by this very tick. */
const held = ({ end, run, step }: Subject): Answer | undefined => {
  const { body } = step.transition
  const id = body.action?.id
  const open = id === undefined ? undefined : OpenActions.of(end)[id]
  const unmet = body.data?.["unmet"]
  const doubts: ReadonlyArray<Conjunct> = [
    ...(Array.isArray(unmet)
      ? unmet.map((found) => ({
          ok: false,
          step: "readback",
          id: String(id),
          expected: "what the contract expects",
          found: String(found)
        }))
      : []),
    ...(body.result?.status === "unknown"
      ? [
          {
            ok: false,
            step: "answer",
            id: String(id),
            expected: "an answer",
            found: JSON.stringify(body.result.output ?? null)
          }
        ]
      : [])
  ]
  if (open === undefined && doubts.length === 0) return undefined
  const resume = `backstitch resume ${run.id} --agent FILE`
  if (open === undefined) {
    return {
      verdict: "held",
      why: "the outcome was in doubt at this tick, and is settled by now",
      checks: doubts,
      next: []
    }
  }
  const { phase, target, tick, tool } = open
  const why =
    `${tool} (${id}) is ${phase} since tick ${tick} and not settled` +
    (target === undefined ? "" : `; until then it holds ${target}, and nothing else may change that`)
  const settled: Conjunct = {
    ok: false,
    step: "settlement",
    id: String(id),
    expected: "a settled outcome",
    found: phase,
    remedy: resume
  }
  return { verdict: "held", why, checks: [...doubts, settled], next: [resume] }
}

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
      ...guards.map(({ id }) => conjunct(subject, { ok: true, step: "guard", id }))
    ],
    next: by === undefined ? [] : [`backstitch action ${action} --run ${by}`]
  }
}

/** A check with the rule that it comes from: its text, its line, and what the fields that it reads held. */
const conjunct = (
  { pack, step }: Subject,
  check: Pick<Check.Check, "id" | "ok" | "step"> & Partial<Check.Check>
): Conjunct => {
  const { expected, found, id, ok, remedy } = check
  const guard = check.step === "guard" ? pack?.guards.find((known) => known.id === id) : undefined
  const violation = check.step === "policy" ? pack?.violations.find((known) => known.id === id) : undefined
  const condition = guard?.refuseIf ?? violation?.when
  const path = guard !== undefined ? ["guards", id] : violation !== undefined ? ["violations", id] : ["tools", id]
  return {
    ok,
    step: check.step,
    id,
    ...(expected === undefined ? {} : { expected }),
    ...(found === undefined ? {} : { found }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(condition === undefined ? {} : { source: Condition.source(condition), values: valuesOf(condition, step) }),
    ...lineIn(pack, path)
  }
}

const lineIn = (pack: TaskPack.TaskPack | undefined, path: ReadonlyArray<string>): { readonly line?: number } => {
  const line = pack === undefined ? undefined : TaskPack.lineOf(pack, path)
  return line === undefined ? {} : { line }
}

/** Values longer than this say more than an explanation needs. */
const valueMax = 200

const valuesOf = (condition: Condition.Condition, { before, transition: { body } }: Step.Step): JsonObject => {
  const reads = Condition.reads(condition)
  if (reads === "any") return {}
  const scope = {
    args: body.action?.params ?? body.data?.["params"] ?? body.data ?? {},
    clause: Goal.of(before).clauses,
    world: before.world,
    working: before.working,
    state: { ...before.working, ...before.world }
  }
  return Object.fromEntries(
    reads.flatMap((path) => {
      const value = valueAt(scope, path.split("."))
      return value === undefined ? [] : [[path, value] as const]
    })
  )
}

const valueAt = (scope: object, path: ReadonlyArray<string>): Json | undefined => {
  let value: unknown = scope
  for (const name of path) {
    if (Table.is(value)) value = value.get(name)
    else if (typeof value === "object" && value !== null) value = (value as { readonly [name: string]: unknown })[name]
    else return undefined
  }
  if (value === undefined) return undefined
  if (Table.is(value) || List.is(value)) return `${Table.is(value) ? value.size : value.length} entries`
  const json = State.fieldToJson(value as State.Field)
  const text = JSON.stringify(json)
  return text.length > valueMax ? `${text.slice(0, valueMax - 1)}…` : json
}

const checksOf = (value: Json | undefined): ReadonlyArray<Check.Check> =>
  Array.isArray(value) ? (value as ReadonlyArray<Check.Check>).map(Finding.worded) : []

const aboutOf = ({ tool, transition: { body } }: Step.Step): string => {
  const { params, proposed, tool: named } = body.data ?? {}
  const what = tool ?? (typeof named === "string" ? named : typeof proposed === "string" ? proposed : body.type)
  const given = body.action?.params ?? params
  return given === undefined ? what : `${what} ${JSON.stringify(given)}`
}
