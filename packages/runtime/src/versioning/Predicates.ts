/**
 * Predicates that are written after the fact, compiled as a pack would compile them.
 *
 * A predicate on trial reads the fields of a pack and sees the same names as a registered one. So its answers stay the
 * same when it is added to the pack. A field that is not declared is refused before any state is read.
 *
 * @source Dendrer, section 3.3.3 and appendix C
 */

import type { Definition } from "@backstitch/contracts/Definition"
import * as Issue from "@backstitch/contracts/Issue"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as NearestName from "@backstitch/expressions/NearestName"
import * as Purity from "@backstitch/functions/Purity"
import type * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import * as Crack from "@backstitch/topology/Crack"
import type * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as AdHocPredicate from "@backstitch/version-control/AdHocPredicate"
import * as BuiltIn from "@backstitch/version-control/BuiltIn"
import * as Monotonicity from "@backstitch/version-control/Monotonicity"
import * as Registration from "@backstitch/version-control/Registration"
import * as Scan from "@backstitch/version-control/Scan"
import type { Step } from "@backstitch/version-control/Step"
import * as Variations from "@backstitch/version-control/Variations"
import type * as HistoryWords from "@backstitch/wording/HistoryWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Steps from "../history/Steps.ts"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"

/** A violation predicate in the form of a pack. */
export type Violation = NonNullable<Definition["violations"]>[number]

/** Error for a predicate that uses fields or types which the pack does not declare, with every mistake. */
export class PredicateInvalid extends Schema.TaggedError<PredicateInvalid>("@backstitch/runtime/PredicateInvalid")(
  "PredicateInvalid",
  {
    id: Schema.String,
    pack: Schema.String,
    issues: Schema.Array(Issue.Issue),
    known: Schema.optional(Schema.Array(Schema.String))
  }
) {
  override get message(): string {
    const lines = this.issues.map(
      ({ expected, found, hint }) => `  found ${found}, expected ${expected}${hint === undefined ? "" : `. ${hint}`}`
    )
    const near = this.known === undefined ? [] : NearestName.similar(this.id, this.known)
    const hint = near.length === 0 ? "" : `\nDid you mean ${near.join(" or ")}?`
    const known = this.known === undefined ? "" : `${hint}\nThe predicates with a name are ${this.known.join(", ")}`
    return `Predicate ${this.id} cannot be read over the state of ${this.pack}\n${lines.join("\n")}${known}`
  }
}

/** Error for a predicate that is tried without a pack or a run: there are no fields that it could read. */
export class NothingToTry extends Schema.TaggedError<NothingToTry>("@backstitch/runtime/NothingToTry")("NothingToTry", {
  id: Schema.String
}) {
  override get message(): string {
    return `Predicate ${this.id} has no state to read. Name a pack, or a run to sample`
  }
}

/** Error for a predicate that is declared monotone and that held in no sample, so that a recovery could not show. */
export class MonotoneUntested extends Schema.TaggedError<MonotoneUntested>("@backstitch/runtime/MonotoneUntested")(
  "MonotoneUntested",
  { id: Schema.String, samples: Schema.Number }
) {
  override get message(): string {
    const tried = this.samples === 0 ? "it was tried on no run" : `it held in none of ${this.samples} sample runs`
    return (
      `Predicate ${this.id} is not known to be monotone: ${tried}, so a recovery could not have shown. ` +
      "Sample a run in which it holds, or register it as a lift, which may recover"
    )
  }
}

/** Compiles a predicate over the fields of a pack; without a pack, over any fields of a state. */
export const compile = (
  violation: Violation,
  pack: TaskPack.TaskPack | undefined
): Result.Result<Rules.Predicate, PredicateInvalid> => {
  const { id } = violation
  if (pack === undefined) {
    return Result.mapError(
      AdHocPredicate.compile(String(violation.when)),
      ({ remarks }) => new PredicateInvalid({ id, pack: "a run without a pack", issues: remarks.map(issueOf) })
    )
  }
  const name = `${pack.id} ${pack.version}`
  const known = (pack.definition as Definition).violations ?? []
  const violations = [...known.filter((each) => each.id !== id), violation]
  // The pack belongs to a run: rules that newer versions added for packs do not refuse it.
  const read = TaskPack.adding(pack, { violations }, { file: "predicate" })
  if (Result.isFailure(read)) {
    return Result.fail(new PredicateInvalid({ id, pack: name, issues: read.failure.issues }))
  }
  const predicate = PackRules.of(read.success).predicates.find((compiled) => compiled.id === id)
  return predicate === undefined
    ? Result.fail(new PredicateInvalid({ id, pack: name, issues: [] }))
    : Result.succeed(predicate)
}

/** Compiles a predicate that somebody asks about: a built-in one, or an expression over the fields of a pack. */
export const trial = (
  source: string,
  pack: TaskPack.TaskPack | undefined
): Effect.Effect<Rules.Predicate, PredicateInvalid> => {
  const builtIn = BuiltIn.find(source)
  if (builtIn !== undefined) return Effect.succeed(builtIn)
  const compiled = compile({ id: source, when: source, monotone: "lift" }, pack)
  if (Result.isSuccess(compiled) || !/^[\w.-]+$/.test(source)) return Effect.fromResult(compiled)
  // A single word was meant as a name.
  const known = [...(pack?.violations ?? []), ...BuiltIn.all].map(({ id }) => id).concat(Crack.predicates)
  return Effect.fail(new PredicateInvalid({ ...compiled.failure, known }))
}

/** The result of a trial: the registration, and the predicate in the form of a pack. */
export interface Trial {
  readonly registration: Registration.Registration
  readonly violation: Violation
}

/** Tries a predicate on sample runs, and accepts it with its declared properties or says why not. */
export const register = Effect.fn("Predicates.register")(function* (
  violation: Violation,
  options: { readonly samples: ReadonlyArray<Run.Run>; readonly pack?: TaskPack.TaskPack | undefined }
) {
  const library = yield* PackLibrary.PackLibrary
  const history = yield* History.History
  const samples: Array<{ readonly run: string; readonly steps: ReadonlyArray<Step> }> = []
  let { pack } = options
  for (const run of options.samples) {
    const { head } = yield* history.info(run)
    const steps: Array<Step> = []
    const end = yield* Steps.walk(run, { from: 1, to: head.tick }, (step) => void steps.push(step))
    pack ??= yield* library.inForce(end.state, head.tick)
    samples.push({ run: run.id, steps })
  }
  if (pack === undefined && samples.length === 0) return yield* new NothingToTry({ id: violation.id })
  const predicate = yield* Effect.fromResult(compile(violation, pack))
  yield* Effect.fromResult(checkPurity(violation, samples))
  const registration = yield* Effect.flatMap(
    library.folding(() => Registration.register(predicate, samples, { generated: variations(history.fold, samples) })),
    Effect.fromResult
  )
  const isShown = registration.tested.length > 0 || (registration.generated?.tested ?? 0) > 0
  if (registration.as === "monotone" && !isShown) {
    return yield* new MonotoneUntested({ id: violation.id, samples: samples.length })
  }
  const trial: Trial = { registration, violation }
  return trial
})

interface Sample {
  readonly run: string
  readonly steps: ReadonlyArray<Step>
}

const { variationsMax, variedTicksMax } = Limits.pacing

function* variations(fold: Fold.Fold, samples: ReadonlyArray<Sample>) {
  for (const { run, steps } of samples) {
    const transitions = steps.map(({ transition }) => transition)
    const count = Math.min(variationsMax, Math.floor(variedTicksMax / Math.max(1, steps.length)))
    yield* Variations.samples(fold, { run, transitions }, count)
  }
}

/** An expression is pure by construction. A function has to prove it on states of runs. */
const checkPurity = (
  { at, each, id, when }: Violation,
  samples: ReadonlyArray<Sample>
): Result.Result<void, Purity.Impure> => {
  const source = typeof when === "object" ? when.function : typeof when === "function" ? String(when) : undefined
  if (source === undefined) return Result.succeed(undefined)
  const steps = samples.flatMap(({ steps }) => steps)
  const every = Math.max(1, Math.ceil(steps.length / Limits.refusing.pureStatesMax))
  const scopes = steps
    .filter((_, index) => index % every === 0)
    .map(({ after, before, transition }) => {
      const state = at === "before" ? before : after
      const [section, name] = each?.split(".") ?? []
      const rows = section === "world" || section === "working" ? state[section][name ?? ""] : undefined
      const [key, row] = Table.is(rows) ? (rows.entries().next().value ?? ["", {}]) : ["", {}]
      return [PackRules.bindingsOf({ after, before, key, row, state, transition })]
    })
  const checked = Purity.check({ id, source }, scopes)
  // A function that fails on a state is refused with the tick at which it was tried.
  if (Result.isFailure(checked) && checked.failure.reason !== "throws") return Result.fail(checked.failure)
  return Result.succeed(undefined)
}

/** The verdicts of a predicate along a run: the ticks at which they changed. */
export interface Course {
  readonly id: string
  readonly run: string
  readonly ticks: number
  readonly evaluations: number
  /** Ticks at which the verdict changed, including the first verdict. */
  readonly changes: ReadonlyArray<{
    readonly tick: number
    readonly type: string
    readonly verdict: "ok" | "violation" | "error"
  }>
  /** `true` if the predicate never recovered in this run. */
  readonly isMonotone: boolean
  /** Its declaration in the pack in force; `null` if the pack does not have it. */
  readonly declared: "monotone" | "lift" | null
  /** The course as a code, and as a sentence that says what bisect makes of it. */
  readonly course: HistoryWords.PredicateCourse["code"]
  readonly says: string
}

/**
 * Evaluates a predicate along a run at every tick that its scope covers, whether or not bisect may rely on it.
 *
 * **Details**
 *
 * `asked` is the id of a predicate that is in force or built in, an expression, or a predicate in the form of a
 * pack.
 */
export const course = Effect.fn("Predicates.course")(function* (run: Run.Run, asked: string | Violation) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const rules = yield* library.folding(() => history.fold.rulesAt(state, head.tick + 1))
  const pack = yield* library.inForce(state, head.tick)
  const bound = typeof asked === "string" ? rules.predicates.find(({ id }) => id === asked) : undefined
  const predicate =
    bound ?? (typeof asked === "string" ? yield* trial(asked, pack) : yield* Effect.fromResult(compile(asked, pack)))
  const whole = Monotonicity.everyRow(predicate)
  const changes: Array<Course["changes"][number]> = []
  let evaluations = 0
  yield* Steps.walk(run, { from: 1, to: head.tick }, (step) => {
    if (!Scan.concerns(predicate, step)) return
    const verdict = Latch.evaluate(whole, step)
    const { body, tick } = step.transition
    evaluations++
    if (changes.at(-1)?.verdict !== verdict) changes.push({ tick, type: body.type, verdict })
  })
  const held = changes.findIndex(({ verdict }) => verdict === "violation")
  const isMonotone = held < 0 || !changes.slice(held).some(({ verdict }) => verdict === "ok")
  const declared = bound?.monotone ?? null
  const found: HistoryWords.PredicateCourse = isMonotone
    ? { code: held < 0 ? "never" : "kept" }
    : { code: "recovered", declared, onset: changes[held]?.tick ?? 0 }
  const judged: Course = {
    id: predicate.id,
    run: run.id,
    ticks: head.tick,
    evaluations,
    changes,
    isMonotone,
    declared,
    course: found.code,
    says: Wording.predicateCourse(found, yield* Lexicon.Lexicon)
  }
  return judged
})

/** A predicate that is in force in a run, and since when it has held. */
export interface Binding {
  readonly id: string
  readonly monotone: "monotone" | "lift"
  readonly scope: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
  readonly violatedAt: number | null
  readonly failedAt: number | null
}

/** Lists the predicates that are in force at the next tick of a run. */
export const list = Effect.fn("Predicates.list")(function* (run: Run.Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const latches = state.kernel["latches"] as { readonly [id: string]: number } | undefined
  // A state from a snapshot was not folded here, so its pack is not loaded yet.
  const rules = yield* library.folding(() => history.fold.rulesAt(state, head.tick + 1))
  return rules.predicates.map(
    ({ id, monotone, reads = [], scope }): Binding => ({
      id,
      monotone,
      scope: [...(scope ?? [])],
      reads,
      violatedAt: latches?.[id] ?? null,
      failedAt: latches?.[Latch.failureOf(id)] ?? null
    })
  )
})

const issueOf = (remark: {
  readonly found: string
  readonly expected: string
  readonly hint?: string
}): Issue.Issue => ({
  file: "predicate",
  line: 0,
  column: 0,
  path: "when",
  found: remark.found,
  expected: remark.expected,
  ...(remark.hint === undefined ? {} : { hint: remark.hint })
})
