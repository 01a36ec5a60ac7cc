/** The goal of a stored run as documents: its clauses, the plan of a revision, and a revision that was asked for. */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import type * as CompatibilityJudge from "../ports/CompatibilityJudge.ts"
import type * as Revising from "./Revising.ts"
import * as RevisionDocuments from "./RevisionDocuments.ts"
import * as StoredRevision from "./StoredRevision.ts"

/** The clauses of the goal of a run, and its revisions. */
export interface Specification extends RevisionDocuments.SpecificationShown {
  readonly run: string
}

/** The plan of a revision of a run. */
export interface RunRevisionPlan extends RevisionDocuments.PlanShown {
  readonly run: string
}

/** A revision of a run that was asked for. */
export interface RequestedRevision {
  readonly run: string
  readonly changes: ReadonlyArray<RevisedSpecification.RevisionChange>
  /** `null` if there was nothing to plan. */
  readonly plan: RevisionDocuments.PlanShown | null
  /** `true` if it was recorded and, where that was asked for, absorbed. */
  readonly done: boolean
  /** The run that follows, if the goal was reached before. */
  readonly followUp: string | null
  /** The outcome of the absorption; `null` if that is left to the process of the agent. */
  readonly outcome: Outcome | null
}

/** Shows the clauses of the goal of a run as revisions have left them. */
export const specification = Effect.fn("RunGoal.specification")(function* (run: Run) {
  const history = yield* History.History
  const { head, pack, state } = yield* StoredRevision.at(run)
  const transitions = yield* history.transitions(run, { to: head.tick })
  const shown: Specification = { run: run.id, ...RevisionDocuments.specification(pack, { state, transitions }) }
  return shown
})

/** Plans a revision or, without changes, what is pending; fails if nothing is. Nothing is recorded. */
export const plan = Effect.fn("RunGoal.plan")(function* (
  run: Run,
  revision: Revising.Revision,
  judge?: CompatibilityJudge.Judge | undefined
) {
  const found = yield* StoredRevision.plan(run, revision, judge)
  if (found === undefined) return yield* new StoredRevision.NothingPending({ run: run.id })
  const shown: RunRevisionPlan = { run: run.id, ...found }
  return shown
})

/** Shows a revision that was recorded. */
export const revised = (
  { id: run }: Run,
  { isDone, next, outcome, ...prepared }: StoredRevision.RecordedRevision
): RequestedRevision => ({
  ...rehearsed({ id: run }, prepared),
  done: isDone,
  followUp: next?.id ?? null,
  outcome: outcome ?? null
})

/** Shows a revision that was planned only. */
export const rehearsed = (
  { id: run }: Pick<Run, "id">,
  { plan, revision: { changes } }: Pick<StoredRevision.Prepared, "plan" | "revision">
): RequestedRevision => ({ run, changes, plan: plan ?? null, done: false, followUp: null, outcome: null })
