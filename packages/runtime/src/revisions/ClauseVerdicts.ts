/**
 * The clauses of a goal, evaluated in a state. That a goal is reached is the word of its agent; whether the clauses
 * hold is not.
 *
 * @source Revisable by Design, section 4.2; docs/decisions/0084
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Specification from "@backstitch/contracts/Specification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ExpressionScope from "@backstitch/kernel/ExpressionScope"
import * as Goal from "@backstitch/kernel/Goal"
import type * as UnfitActs from "@backstitch/kernel/UnfitActs"
import type { State } from "@backstitch/reducer/State"
import type { Words } from "@backstitch/wording/Words"

/** A clause that does not hold, that an act does not fit, or of which nobody can tell, in a sentence. */
export interface UnmetClause {
  readonly clause: string
  readonly condition: string
  readonly holds: false | "unknown"
  readonly say: string
}

/** Evaluates the clauses in force. */
export const of = (pack: TaskPack.TaskPack, state: State): ReadonlyArray<Specification.JudgedClause> => {
  const goal = Goal.of(state)
  const scope = ExpressionScope.bindings(state, {}, RevisedSpecification.values(pack, goal))
  return Specification.evaluate(RevisedSpecification.inForce(pack, goal), scope)
}

/**
 * Lists the clauses that are not known to hold, and those that an act does not fit which stands. One whose value nobody
 * has given demands nothing.
 */
export const unmet = (
  pack: TaskPack.TaskPack | undefined,
  state: State,
  { unfit, words }: { readonly unfit: ReadonlyArray<UnfitActs.UnfitAct>; readonly words: Words }
): ReadonlyArray<UnmetClause> => {
  if (pack === undefined) return []
  const failing = failingOf(pack, state, words)
  const known = new Set(failing.map(({ clause }) => clause))
  const contrary = [...new Set(unfit.flatMap(({ clauses }) => clauses))].filter((clause) => !known.has(clause))
  return [
    ...failing,
    ...contrary.sort().map((clause): UnmetClause => {
      const acts = unfit.filter(({ clauses }) => clauses.includes(clause))
      return {
        clause,
        condition: sourceOf(pack, state, clause),
        holds: false,
        say: words.reports.unfit({ acts, clause })
      }
    })
  ]
}

/** The condition of a clause that is or was in force. */
const sourceOf = (pack: TaskPack.TaskPack, state: State, clause: string): string => {
  const goal = Goal.of(state)
  const found = RevisedSpecification.inForce(pack, goal)[clause] ?? pack.specification[clause]
  return found === undefined ? (goal.added?.[clause]?.holds ?? "true") : Condition.source(found.holds)
}

const failingOf = (pack: TaskPack.TaskPack, state: State, words: Words): ReadonlyArray<UnmetClause> => {
  const inForce = RevisedSpecification.inForce(pack, Goal.of(state))
  const values = RevisedSpecification.values(pack, Goal.of(state))
  return of(pack, state).flatMap(({ clause, holds, reason }) => {
    const demanded = inForce[clause]
    if (holds === true || demanded === undefined) return []
    if (demanded.value !== undefined && !Object.hasOwn(values, clause)) return []
    const condition = Condition.source(demanded.holds)
    return [{ clause, condition, holds, say: words.reports.unmet({ clause, condition, reason }) }]
  })
}
