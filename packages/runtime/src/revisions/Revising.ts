/**
 * Revision of the goal of an open run: injected, planned, and absorbed before the agent acts again.
 *
 * | step | what it changes |
 * | --- | --- |
 * | `preview` | nothing: it plans a revision that was not injected |
 * | `inject` | the goal, at once; nothing is begun until the revision is absorbed |
 * | `plan` | nothing: it plans the absorption of what was injected |
 * | `absorb` | undoes what the plan discards, through the ledger, and lets the agent go on |
 *
 * @source Revisable by Design, algorithm 1; docs/decisions/0057
 */
import type * as Absorption from "@backstitch/absorber/Absorption"
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Check from "@backstitch/kernel/Check"
import * as Goal from "@backstitch/kernel/Goal"
import * as Injection from "@backstitch/kernel/Injection"
import { isOutdated, type Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import type { Json } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Run from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ActsRecord from "../history/actsRecord.ts"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as CompatibilityJudge from "../ports/CompatibilityJudge.ts"
import type * as RunHandle from "../run/RunHandle.ts"

/**
 * A revision: the changes of the clauses, and what is known about it. `by` is the person; `said` are their words, and
 * `readBy` names the model that turned them into changes.
 */
export interface Revision {
  readonly changes: ReadonlyArray<RevisedSpecification.RevisionChange>
  readonly kind?: RevisedSpecification.RevisionKind | undefined
  readonly by?: string | undefined
  readonly said?: string | undefined
  readonly readBy?: string | undefined
  /** The finished run that this run follows because of the revision. */
  readonly followUp?: string | undefined
  /** Acts about which no contract decides, and which fit. */
  readonly keeps?: ReadonlyArray<string> | undefined
  /** Gives up as lost what would block the absorption. */
  readonly widens?: true | undefined
  /** Makes the injection idempotent: two revisions with the same command are one. */
  readonly command?: string | undefined
}

/** Error for a revision that is refused, with every reason. Nothing was recorded by a plan. */
export class RevisionRefused extends Schema.TaggedError<RevisionRefused>("@backstitch/runtime/RevisionRefused")(
  "RevisionRefused",
  { run: Schema.String, checks: Schema.Array(Schema.Any) }
) {
  override get message(): string {
    const lines = Check.failing(this.checks as ReadonlyArray<Check.Check>).flatMap((check) => {
      const { expected, found, remedy } = Wording.check(check) ?? {}
      return found === undefined ? [] : [`  ${check.id}: found ${found}, expected ${expected}: ${remedy}`]
    })
    return `The revision of run ${this.run} is refused\n${lines.join("\n")}`
  }
}

/** Options of a plan. With `widen`, an act that blocks it is given up as lost. `by` is another planner. */
export type Options = Pick<RunAbsorption.Options, "by" | "widen">

/** A plan, with the answers that it rests on, and the tokens that these cost. */
export interface Planned extends RunAbsorption.RunAbsorption {
  readonly answers: ReadonlyMap<string, Absorption.ActAnswer>
  readonly tokens: number
}

/** Injects a revision. It is recorded while acts are under way, which settle first. */
export const inject = (handle: RunHandle.RunHandle, { command, ...revision }: Revision) =>
  handle.propose({ author: "user", command, data: defined(revision), type: "revision.injected" })

/** Plans the absorption of the pending revisions; `undefined` if none is pending. */
export const plan = (handle: RunHandle.RunHandle, options: Options = {}) =>
  Effect.flatMap(handle.judging, (judging) =>
    planned(handle.transitions, judging, (more) => RunAbsorption.plan(judging!, { ...options, ...more }))
  )

/** Plans a revision as if it were injected now. Nothing is recorded. */
export const preview = (handle: RunHandle.RunHandle, { changes }: Pick<Revision, "changes">, options: Options = {}) =>
  Effect.flatMap(handle.judging, (judging) =>
    planned(
      handle.transitions,
      judging,
      (more) => RunAbsorption.preview(judging!, changes, { ...options, ...more }),
      changes
    )
  )

/** An act of a finished run that the revised one follows: it no longer fits, and neither run undoes it by plan. */
export interface Elsewhere extends Absorption.Conflict {
  readonly run: string
}

/** The plan of a stored run, the checks that refuse its revision, or nothing that could be planned. */
export type Stored =
  | { readonly _tag: "Planned"; readonly planned: Planned; readonly elsewhere: ReadonlyArray<Elsewhere> }
  | { readonly _tag: "Refused"; readonly checks: ReadonlyArray<Check.Check> }
  | { readonly _tag: "Nothing" }

/** Plans a revision of a stored run as if it were injected now; without changes, the pending ones. */
export const stored = Effect.fn("Revising.stored")(function* (
  run: Run.Run,
  changes: Revision["changes"] | undefined,
  options: Options = {}
) {
  const history = yield* History.History
  const judging = yield* ActsRecord.of(history, run)
  const checks = changes === undefined ? [] : yield* judged(run, judging, changes)
  if (checks.length > 0) return { _tag: "Refused", checks } satisfies Stored
  const found = yield* planned(
    (from) => history.transitions(run, { from }),
    judging,
    (more) =>
      changes === undefined
        ? RunAbsorption.plan(judging!, { ...options, ...more })
        : RunAbsorption.preview(judging!, changes, { ...options, ...more }),
    changes
  )
  if (judging === undefined || found === undefined) return { _tag: "Nothing" } satisfies Stored
  const elsewhere = yield* unfitElsewhere(run, judging, changes)
  return { _tag: "Planned", planned: found, elsewhere } satisfies Stored
})

/** Lists the acts of finished runs that a run follows, and that no longer fit its goal as changes would leave it. */
const unfitElsewhere = Effect.fnUntraced(function* (
  run: Run.Run,
  { state, terms: { pack } }: RunAbsorption.Judging,
  changes: Revision["changes"] = []
) {
  const history = yield* History.History
  const goal = Goal.of(state)
  const [before, after] = [goal.pending?.before ?? goal, pack && Injection.preview(pack, goal, changes)]
  const found = yield* Effect.forEach(goal.follows ?? [], ({ run: followed }) =>
    Effect.map(ActsRecord.of(history, Run.make(followed, run.tenant)), (judging): ReadonlyArray<Elsewhere> => {
      const unfit = judging === undefined || after === undefined ? [] : RunAbsorption.unfit(judging, before, after)
      return unfit.map((each) => ({ ...each, run: followed }))
    })
  )
  return found.flat()
})

/** Lists the checks that refuse a revision. */
const judged = Effect.fnUntraced(function* (
  run: Run.Run,
  judging: RunAbsorption.Judging | undefined,
  changes: Revision["changes"]
) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const state = judging?.state ?? (yield* history.at(run, head.tick)).state
  const pack = yield* library.inForce(state, head.tick + 1)
  return Check.failing(Injection.judge({ pack }, state, { changes }).checks)
})

/**
 * Plans twice if the contract does not decide about some acts: once to know the questions, and with their answers. The
 * judge is shown the goal as the changes leave it, whether they are pending or only previewed.
 */
const planned = Effect.fnUntraced(function* (
  read: RunHandle.RunHandle["transitions"],
  judging: RunAbsorption.Judging | undefined,
  make: (more: RunAbsorption.Options) => RunAbsorption.RunAbsorption | undefined,
  changes: Revision["changes"] = []
) {
  if (judging === undefined) return undefined
  const first = make({})
  if (first === undefined) return undefined
  const { questions } = first.absorption
  if (questions.length === 0) return { ...first, answers: new Map(), tokens: 0 } satisfies Planned
  const goal = Goal.of(judging.state)
  const { pack } = judging.terms
  const { answers, tokens = 0 } = yield* CompatibilityJudge.answers({
    before: goal.pending?.before ?? goal,
    after: pack === undefined ? goal : Injection.preview(pack, goal, changes),
    said: yield* saidIn(read, first.revisions),
    questions: questions.map(({ action, clauses, tool }) => ({
      action,
      tool,
      clauses,
      class: first.acts.find((act) => act.action === action)?.class ?? "X",
      params: judging.acts.calls.get(action)?.params ?? ({} as Json)
    }))
  })
  const second = make({ answers })
  return second && ({ ...second, answers, tokens } satisfies Planned)
})

/** The words of the user in revisions at these ticks. */
const saidIn = Effect.fnUntraced(function* (
  read: RunHandle.RunHandle["transitions"],
  revisions: ReadonlyArray<number>
) {
  const [from] = revisions
  if (from === undefined) return []
  const transitions = yield* read(from)
  return transitions.flatMap(({ body, tick }) => {
    const said = revisions.includes(tick) ? Payload.of(body, "revision.injected")?.said : undefined
    return typeof said === "string" ? [said] : []
  })
})

/** An absorption: its plan, and the outcome of carrying it out. */
export interface Absorbed {
  readonly planned: Planned
  readonly outcome: Outcome
}

/**
 * Puts on record that a model was asked about a revision, so that its tokens count against the budget of the run. They
 * count as well if the observation is refused, as under a pack that observes something else, or has no budget left.
 */
export const recordUse = (handle: RunHandle.RunHandle, asked: "to judge acts" | "to read", tokens: number) => {
  if (tokens <= 0) return Effect.void
  const data = { model_call: { asked } }
  return Effect.asVoid(handle.propose({ author: "agent", type: "observation.add", data, tokens }))
}

/**
 * Absorbs the pending revisions; `undefined` if none is pending. A plan with obstacles is refused, and changes nothing.
 * If another process has committed meanwhile, it is planned again.
 */
export const absorb = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, options: Options = {}) {
  const judged = { tokens: 0 }
  const absorbed = yield* planAndAbsorb(handle, options, judged)
  // Only now: a plan is carried out at the head at which it was made.
  yield* recordUse(handle, "to judge acts", judged.tokens)
  return absorbed
})

const planAndAbsorb = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  options: Options,
  judged: { tokens: number }
): Effect.fn.Return<Absorbed | undefined, RunHandle.RunError> {
  let barred: ReadonlyArray<string> = []
  while (true) {
    const judging = yield* handle.judging
    const found = yield* planned(handle.transitions, judging, (more) =>
      RunAbsorption.plan(judging!, { ...options, ...more, barred })
    )
    if (judging === undefined || found === undefined) return undefined
    judged.tokens += found.tokens
    const { obstacles } = found
    if (obstacles.length > 0) {
      return { planned: found, outcome: { _tag: "Refused", tick: undefined, checks: obstacles } }
    }
    const outcome = yield* handle.absorb(RunAbsorption.command(judging, found, { ...options, answers: found.answers }))
    const more = refusedActs(outcome, found)
    if (isOutdated(outcome)) continue
    if (more.length === 0) return { planned: found, outcome }
    barred = [...barred, ...more]
  }
})

/** Acts that the kernel refuses to undo, such as one on which another run relies: they are planned without it. */
const refusedActs = (outcome: Outcome, { absorption }: Planned): ReadonlyArray<string> =>
  outcome._tag === "Refused"
    ? outcome.checks.flatMap(({ id }) => (absorption.undo.some(({ undoes }) => undoes === id) ? [id] : []))
    : []
