/** The goal as folded state: its name, the values of its clauses, and whether it was declared reached. */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Check from "../payload/Check.ts"
import type { DecisionTerms } from "./DecisionTerms.ts"

/** The goal in force. */
export interface Goal extends JsonObject {
  readonly clauses: JsonObject
  readonly id: string
  readonly text: string
  readonly completedAt?: number | undefined
  /** Subgoals of the pack that were declared reached, with the tick of each. */
  readonly reached?: { readonly [subgoal: string]: number } | undefined
}

/** The part of the fold that keeps the goal. */
export const part: Part.Part<Goal> = Part.make<Goal>("goal", {
  version: 1,
  init: { clauses: {}, id: "", text: "" },
  on: {
    "run.started": (self, { body }) => ({
      ...self,
      clauses: body.data.clauses,
      id: body.goal ?? "",
      text: body.data.goal
    }),
    // Without a subgoal, the goal itself is declared.
    "goal.complete": (self, { body, tick }) => {
      const subgoal = body.data?.reachedSubgoal
      return subgoal === undefined
        ? { ...self, completedAt: tick }
        : { ...self, reached: { ...self.reached, [subgoal]: tick } }
    }
  }
})

/** The payload by which a goal is declared reached, before the check against its schema: a field may have any value. */
export interface Declared extends JsonObject {
  readonly reachedSubgoal?: Json | undefined
  readonly subgoal?: Json | undefined
}

/**
 * Judges a declaration that the goal, or one of the pack's subgoals, is reached; each can be declared once. The
 * commit names the subgoal as `reachedSubgoal`, which only the kernel writes.
 */
export const complete = (
  { pack }: Pick<DecisionTerms, "pack">,
  state: State,
  given: Declared
): { readonly checks: ReadonlyArray<Check.Check>; readonly data: JsonObject } => {
  const { reachedSubgoal: _, ...data } = given
  const { subgoal } = given
  const isSubgoal = typeof subgoal === "string" && pack?.progress?.subgoals.includes(subgoal) === true
  const { completedAt, reached = {} } = of(state)
  const at = completedAt ?? (isSubgoal && Object.hasOwn(reached, subgoal) ? reached[subgoal] : undefined)
  const id = isSubgoal ? subgoal : of(state).id
  return {
    checks: at === undefined ? [] : [Check.fail("policy", `goal.${id}`, "goal.reached", { since: at })],
    data: isSubgoal ? { ...data, reachedSubgoal: subgoal } : data
  }
}

/** The goal of a state. */
export const of = (state: State): Goal => Part.get(part, state)
