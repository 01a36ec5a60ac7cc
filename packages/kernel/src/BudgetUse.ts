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
  readonly anomalies: number
  /** Calls by tool. */
  readonly calls: JsonObject
  readonly exhausted: ReadonlyArray<string>
  readonly refusals: number
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

/** Only what the kernel writes is coalesced: an agent does not count its own steps. */
const countOf = ({ body: { author, data } }: Transition): number =>
  author === "kernel" ? Number(data?.["count"] ?? 1) : 1

const step = (self: BudgetUse, transition: Transition): BudgetUse => {
  const next = spend(self, transition)
  return { ...next, steps: next.steps + countOf(transition) }
}

const call = (self: BudgetUse, transition: Transition): BudgetUse => {
  const next = step(self, transition)
  const tool = transition.body.action?.tool
  return tool === undefined ? next : { ...next, calls: { ...next.calls, [tool]: callsOf(next, tool) + 1 } }
}

/**
 * The part of the fold that keeps the use of budgets.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<BudgetUse> = Part.make<BudgetUse>("budget", {
  version: 1,
  init: { anomalies: 0, calls: {}, exhausted: [], refusals: 0, spent: {}, startedAt: 0, steps: 0 },
  on: {
    "run.started": (self, { stamp }) => ({ ...self, startedAt: stamp.asOf }),
    "action.request": call,
    "action.result": spend,
    "anomaly.flag": step,
    "artifact.write": step,
    "budget.exhausted": (self, { body }) => ({
      ...self,
      exhausted: [...self.exhausted, String(body.data?.["budget"] ?? "")]
    }),
    "goal.complete": spend,
    "intent.refused": (self, transition) => ({
      ...step(self, transition),
      refusals: self.refusals + countOf(transition)
    }),
    "kernel.anomaly": (self, transition) => ({
      ...step(self, transition),
      anomalies: self.anomalies + countOf(transition)
    }),
    "memory.write": step,
    "message.sent": spend,
    "observation.add": step,
    "plan.update": step,
    "policy.decision": step
  }
})

/**
 * The use of budgets in a state.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): BudgetUse => Part.get(part, state)

/**
 * How often a tool was called.
 *
 * @category getters
 * @since 0.1.0
 */
export const callsOf = (self: BudgetUse, tool: string): number =>
  Object.hasOwn(self.calls, tool) ? Number(self.calls[tool]) : 0
