/**
 * What the run is for, as folded state: the goal, the values of its clauses, and whether it was declared reached.
 *
 * @since 0.1.0
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"

/**
 * The goal in force.
 *
 * @category models
 * @since 0.1.0
 */
export interface Goal extends JsonObject {
  readonly clauses: JsonObject
  readonly id: string
  readonly text: string
  readonly completedAt?: number | undefined
}

/**
 * The part of the fold that keeps the goal.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<Goal> = Part.make<Goal>("goal", {
  version: 1,
  init: { clauses: {}, id: "", text: "" },
  on: {
    "run.started": (self, { body }) => ({
      ...self,
      clauses: Canonical.objectOf(body.data?.["clauses"]),
      id: body.goal ?? "",
      text: String(body.data?.["goal"] ?? body.goal ?? "")
    }),
    "goal.complete": (self, { tick }) => ({ ...self, completedAt: tick })
  }
})

/**
 * The goal of a state.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): Goal => Part.get(part, state)
