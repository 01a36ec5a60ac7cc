/** A run whose goal is revised: its pack, its plan, and the answers of the person who asks. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as FollowUp from "@backstitch/runtime/FollowUp"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
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
