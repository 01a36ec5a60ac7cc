/**
 * The revision of a stored run, as a person asks for it: planned, or recorded for the process of its agent.
 *
 * `LiveRun.revise` carries one out with the tools of the agent.
 */
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Goal from "@backstitch/kernel/Goal"
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as PlannerView from "../planner/PlannerView.ts"
import * as CompatibilityJudge from "../ports/CompatibilityJudge.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Coordinator from "../run/Coordinator.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as UndoOutlook from "../undo/UndoOutlook.ts"
import * as FollowUp from "./FollowUp.ts"
import * as Revising from "./Revising.ts"
import * as RevisionDocuments from "./RevisionDocuments.ts"
import * as RevisionReading from "./RevisionReading.ts"

/** Error for a run without a pack, whose goal has no clauses. */
export class GoalUndeclared extends Schema.TaggedError<GoalUndeclared>("@backstitch/runtime/GoalUndeclared")(
  "GoalUndeclared",
  { run: Schema.String }
) {
  override get message(): string {
    return `Run ${this.run} has no pack, so its goal has no clauses`
  }
}

/** Error for a revision of a goal that was reached, without the agent that would begin the run which follows. */
export class GoalReached extends Schema.TaggedError<GoalReached>("@backstitch/runtime/GoalReached")("GoalReached", {
  run: Schema.String
}) {
  override get message(): string {
    return `The goal of run ${this.run} is reached: only its agent can revise it, and begin a run that follows`
  }
}

/** Error for a revision that changes nothing. If `isDue`, an earlier one waits to be absorbed. */
export class RevisionEmpty extends Schema.TaggedError<RevisionEmpty>("@backstitch/runtime/RevisionEmpty")(
  "RevisionEmpty",
  { run: Schema.String, isDue: Schema.Boolean }
) {
  override get message(): string {
    return this.isDue
      ? `Nothing new is injected: run ${this.run} has this goal, and absorbs it once its agent goes on`
      : `Say what changes in the goal of run ${this.run}`
  }
}

/** Error for a plan without changes of a run in which no revision is pending. */
export class NothingPending extends Schema.TaggedError<NothingPending>("@backstitch/runtime/NothingPending")(
  "NothingPending",
  { run: Schema.String }
) {
  override get message(): string {
    return `Nothing is pending in run ${this.run}. Say what changes`
  }
}

/** Error for an answer about an act about which its contract decides; `open` are those about which none does. */
export class AnswerUnasked extends Schema.TaggedError<AnswerUnasked>("@backstitch/runtime/AnswerUnasked")(
  "AnswerUnasked",
  { action: Schema.String, open: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const others = this.open.length === 0 ? "each act" : `each act but ${this.open.join(", ")}`
    return `Nobody is asked whether ${this.action} fits: contracts decide about ${others}`
  }
}

/** Reads a stored run at its head, under its pack. */
export const at = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const pack = yield* library.inForce(state, head.tick + 1)
  if (pack === undefined) return yield* new GoalUndeclared({ run: run.id })
  return { pack, state, head }
})

/** Reads a stored run that no other one follows. */
export const revisable = Effect.fnUntraced(function* (run: Run) {
  yield* FollowUp.refuse(run)
  return yield* at(run)
})

/** Reads a stored run whose goal was not reached yet. */
export const underWay = Effect.fnUntraced(function* (run: Run) {
  const found = yield* revisable(run)
  return Goal.of(found.state).completedAt === undefined ? found : yield* new GoalReached({ run: run.id })
})

/** A request of a person: a revision with their answers, their words, and a reader and a judge by name. */
export interface RevisionRequest {
  readonly revision: Revising.Revision
  /** Words to be read as changes, which come before those of the revision. */
  readonly words?: string | undefined
  readonly reader?: { readonly name: string | undefined; readonly read: RevisionReading.Reader | undefined }
  readonly judge?: CompatibilityJudge.Judge | undefined
}

/** A revision with its plan. If `isDue`, it adds nothing to what is to be absorbed, and has no changes. */
export interface Prepared {
  readonly revision: Revising.Revision
  readonly isDue: boolean
  readonly plan: RevisionDocuments.PlanShown | undefined
  readonly spent: Spent
}

/** A revision that was recorded. `next` is the run that follows, if the goal was reached before. */
export interface RecordedRevision extends Pick<Prepared, "plan" | "revision"> {
  /** The outcome of the absorption, if that was carried out as well. */
  readonly outcome: Outcome | undefined
  readonly isDone: boolean
  readonly next: Run | undefined
}

/** Tokens of the models that have read the words and judged acts for a plan. */
export interface Spent {
  readonly reading: number
  readonly judging: number
}

/** Reads and plans a revision, and records nothing. */
export const prepare = Effect.fn("StoredRevision.prepare")(function* (run: Run, asked: RevisionRequest) {
  const { pack, state } = yield* at(run)
  const { reading, revision } = yield* read(asked, PlannerView.clauses(pack, state))
  const { changes } = revision
  const isDue =
    FollowUp.isDue(state) &&
    (changes.length === 0 || RevisedSpecification.check(pack, Goal.of(state), changes)._tag === "Empty")
  if (!isDue && changes.length === 0) return yield* new RevisionEmpty({ run: run.id, isDue })
  if (!isDue) yield* FollowUp.refuse(run)
  const due = isDue ? { ...revision, changes: [] } : revision
  const { plan, tokens: judging } = yield* planned(run, due, asked.judge)
  const prepared: Prepared = { revision: due, isDue, plan, spent: { reading, judging } }
  return prepared
})

/** Plans a revision or, without changes, what is pending; `undefined` if nothing is. Nothing is recorded. */
export const plan = Effect.fn("StoredRevision.plan")(function* (
  run: Run,
  revision: Revising.Revision,
  judge?: CompatibilityJudge.Judge | undefined
) {
  yield* revisable(run)
  return (yield* planned(run, revision, judge)).plan
})

/** Puts on record what the models of a preparation have spent. */
export const recordSpent = (handle: RunHandle.RunHandle, { judging, reading }: Spent) =>
  Effect.andThen(Revising.recordUse(handle, "to read", reading), Revising.recordUse(handle, "to judge acts", judging))

/**
 * Prepares a revision and records it, for the process of the agent to absorb. One whose command was carried out before
 * is answered from the record.
 */
export const record = Effect.fn("StoredRevision.record")(function* (run: Run, asked: RevisionRequest) {
  const { state } = yield* underWay(run)
  const before = yield* recordedBefore(run, state, asked.revision)
  if (before !== undefined) return before
  const { isDue, plan, revision, spent } = yield* prepare(run, asked)
  if (isDue) return yield* new RevisionEmpty({ run: run.id, isDue: true })
  yield* injected(run, revision, spent)
  const recorded: RecordedRevision = { plan, revision, outcome: undefined, isDone: true, next: undefined }
  return recorded
})

/** Records a revision of a run under way, without a plan. */
export const inject = Effect.fn("StoredRevision.inject")(function* (run: Run, revision: Revising.Revision) {
  yield* underWay(run)
  yield* injected(run, revision)
})

/** The revision that has the command of another one, with the plan of what is pending by now. */
const recordedBefore = Effect.fnUntraced(function* (run: Run, state: State, { command }: Revising.Revision) {
  const history = yield* History.History
  const done = command === undefined ? undefined : HandledCommands.find(state, command)
  if (done === undefined) return undefined
  const [found] = yield* history.transitions(run, { from: done.tick, to: done.tick })
  const revision = found && Payload.of(found.body, "revision.injected")
  if (revision === undefined) return undefined
  const { plan } = yield* planned(run, { changes: [] }, undefined)
  const recorded: RecordedRevision = { plan, revision, outcome: undefined, isDone: true, next: undefined }
  return recorded
})

const injected = Effect.fnUntraced(function* (run: Run, revision: Revising.Revision, spent?: Spent) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  if (spent !== undefined) yield* recordSpent(handle, spent)
  const outcome = yield* Revising.inject(handle, revision)
  if (outcome._tag === "Refused") return yield* new Revising.RevisionRefused({ run: run.id, checks: outcome.checks })
  return yield* handle.flush
}, Effect.scoped)

const read = Effect.fnUntraced(function* (
  { reader, revision, words }: RevisionRequest,
  clauses: ReturnType<typeof PlannerView.clauses>
) {
  if (words === undefined) return { revision, reading: 0 }
  const { changes, tokens = 0 } = yield* RevisionReading.changesOf(words, reader?.read, clauses)
  const told = { ...revision, said: words, readBy: reader?.name, changes: [...changes, ...revision.changes] }
  return { revision: told, reading: tokens }
})

const planned = Effect.fnUntraced(function* (
  run: Run,
  { changes, keeps = [], widens: widen }: Revising.Revision,
  judge: CompatibilityJudge.Judge | undefined
) {
  const found = yield* Effect.provideService(
    Revising.stored(run, changes.length === 0 ? undefined : changes, { widen: widen === true }),
    CompatibilityJudge.CompatibilityJudge,
    CompatibilityJudge.ofPerson(keeps, judge)
  )
  if (found._tag === "Refused") return yield* new Revising.RevisionRefused({ run: run.id, checks: found.checks })
  if (found._tag === "Nothing") return { plan: undefined, tokens: 0 }
  const { elsewhere, planned } = found
  const { keeps: kept = [] } = Goal.of((yield* at(run)).state).pending ?? {}
  const unasked = keeps.find((action) => !planned.answers.has(action) && !kept.includes(action))
  if (unasked !== undefined) return yield* new AnswerUnasked({ action: unasked, open: [...planned.answers.keys()] })
  const words = yield* Lexicon.Lexicon
  const plan = RevisionDocuments.plan(planned, elsewhere, words)
  const shown = RevisionDocuments.withOutlook(plan, yield* UndoOutlook.known(run))
  return { plan: shown, tokens: planned.tokens }
})
