/** A run whose goal is revised: its pack, its plan, and the answers of the person who asks. */
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as FollowUp from "@backstitch/runtime/FollowUp"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Revising from "@backstitch/runtime/Revising"
import * as RevisionReport from "@backstitch/runtime/RevisionReport"
import * as UndoOutlook from "@backstitch/runtime/UndoOutlook"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** A stored run at its head, under its pack. */
export const at = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const { state } = yield* history.at(run, head.tick)
  const pack: TaskPack.TaskPack | undefined = yield* library.folding(() => library.packAt(state, head.tick + 1))
  if (pack === undefined) return yield* new Usage({ problem: `Run ${run.id} has no pack, so its goal has no clauses` })
  return { pack, state, head }
})

/** A stored run whose goal was not reached yet: a revision of any other leads to another run, and needs its agent. */
export const underWay = Effect.fnUntraced(function* (run: Run) {
  yield* FollowUp.refuse(run)
  const found = yield* at(run)
  if (Goal.of(found.state).completedAt === undefined) return found
  return yield* new Usage({
    problem: `The goal of run ${run.id} is reached: name its agent with --agent, and a run that follows it is begun`
  })
})

/** The words of a person and of a model on an absorption. */
interface Answering {
  readonly keep: ReadonlyArray<string>
  readonly widen: boolean
  readonly judge?: CompatibilityJudge.Judge | undefined
}

/**
 * Plans a revision of a stored run or, without changes, what is pending; `undefined` if there is nothing to plan. A
 * person may answer for an act only if its contract does not decide.
 */
export const planned = Effect.fnUntraced(function* (
  run: Run,
  changes: Revising.Revision["changes"] | undefined,
  { judge, keep, widen }: Answering
) {
  const found = yield* keeping(keep, judge)(Revising.stored(run, changes, { widen }))
  if (found._tag === "Refused") return yield* new Revising.RevisionRefused({ run: run.id, checks: found.checks })
  if (found._tag === "Nothing") return undefined
  const { elsewhere, planned } = found
  const { keeps = [] } = Goal.of((yield* at(run)).state).pending ?? {}
  const unasked = keep.find((action) => !planned.answers.has(action) && !keeps.includes(action))
  if (unasked !== undefined) {
    const open = [...planned.answers.keys()]
    const asked = open.length === 0 ? "contracts decide about each" : `these acts are: ${open.join(", ")}`
    return yield* new Usage({
      problem: `--keep answers for an act about which its contract does not decide, and ${unasked} is none: ${asked}`
    })
  }
  return RevisionReport.withOutlook(RevisionReport.plan(planned, elsewhere), yield* UndoOutlook.known(run))
})

/** Tells whether a revision adds nothing to what is pending, or has to be followed by a run. */
export const isDueOnly = (
  { pack, state }: Effect.Success<ReturnType<typeof at>>,
  changes: Revising.Revision["changes"]
): boolean =>
  FollowUp.isDue(state) &&
  (changes.length === 0 || RevisedSpecification.check(pack, Goal.of(state), changes)._tag === "Empty")

/**
 * Answers for the acts that a person names: they fit. The model is asked about the others, if there is one; any act
 * without an answer counts as in conflict.
 */
export const keeping = (actions: ReadonlyArray<string>, judge?: CompatibilityJudge.Judge | undefined) =>
  Effect.provideService(CompatibilityJudge.CompatibilityJudge, {
    questionsMax: actions.length > 0 ? Number.MAX_SAFE_INTEGER : (judge?.questionsMax ?? 0),
    answer: (batch) => {
      const kept = batch.questions.flatMap(({ action }) =>
        actions.includes(action) ? [[action, "compatible"] as const] : []
      )
      const questions = batch.questions.filter(({ action }) => !actions.includes(action)).slice(0, judge?.questionsMax)
      return judge === undefined || questions.length === 0
        ? Effect.succeed(new Map(kept))
        : Effect.map(judge.answer({ ...batch, questions }), (answers) => new Map([...answers, ...kept]))
    }
  })
