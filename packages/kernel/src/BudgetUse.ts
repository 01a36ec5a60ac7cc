/**
 * What a run has used of its budgets, as folded state, so that a resumed or forked run does not begin afresh (L13).
 *
 * Steps are counted by the fold; tokens, money and whatever else a pack
 * budgets arrive as `spent` in the stamp. Elapsed time runs from the first
 * `asOf` to the latest.
 *
 * @since 0.1.0
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"

/**
 * Use by budget name. `startedAt` is epoch milliseconds; `exhausted` names budgets that were reported.
 *
 * @category models
 * @since 0.1.0
 */
export interface BudgetUse extends JsonObject {
  readonly exhausted: ReadonlyArray<string>
  readonly startedAt: number
  readonly spent: JsonObject
  readonly steps: number
}

const spend = (self: BudgetUse, { stamp }: Transition): BudgetUse => {
  if (stamp.spent === undefined) return self
  const spent: Record<string, number> = {}
  for (const [name, amount] of Object.entries(stamp.spent)) spent[name] = Number(self.spent[name] ?? 0) + amount
  return { ...self, spent: { ...self.spent, ...spent } }
}

const step = (self: BudgetUse, transition: Transition): BudgetUse => {
  const next = spend(self, transition)
  return { ...next, steps: next.steps + Number(transition.body.data?.["count"] ?? 1) }
}

/**
 * The part of the fold that keeps the use of budgets.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<BudgetUse> = Part.make<BudgetUse>("budget", {
  version: 1,
  init: { exhausted: [], spent: {}, startedAt: 0, steps: 0 },
  on: {
    "run.started": (self, { stamp }) => ({ ...self, startedAt: stamp.asOf }),
    "action.request": step,
    "action.result": spend,
    "artifact.write": step,
    "budget.exhausted": (self, { body }) => ({
      ...self,
      exhausted: [...self.exhausted, String(body.data?.["budget"] ?? "")]
    }),
    "goal.complete": spend,
    "intent.refused": step,
    "kernel.anomaly": step,
    "memory.write": step,
    "message.sent": spend,
    "observation.add": step,
    "plan.update": step
  }
})

/**
 * The use of budgets in a state.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): BudgetUse => Part.get(part, state)
