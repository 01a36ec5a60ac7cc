/**
 * The cap of a topology on the steps of its loop: calls on record, by whichever process they were made.
 *
 * Here a step is a call of a tool, unlike the budget `steps`. A resumed or forked run goes on with what is left.
 *
 * @source Crash Recovery, ReAct crash profile: the give-up rule fires on total steps, steps before a crash included
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { State } from "@backstitch/reducer/State"
import type * as Check from "../payload/Check.ts"
import * as BudgetCheck from "./BudgetCheck.ts"
import * as BudgetUse from "./BudgetUse.ts"

/** The name of the cap among budgets. */
export const budget = "topology.steps"

/** Checks one more call against the cap, if the pack declares one. */
export const checks = (pack: TaskPack.TaskPack | undefined, state: State): ReadonlyArray<Check.Check> => {
  const max = pack?.topology?.stepsMax
  if (max === undefined) return []
  const use = BudgetUse.of(state)
  const used = Object.keys(use.calls).reduce((sum, tool) => sum + BudgetUse.callsOf(use, tool), 0)
  return [BudgetCheck.check(state, { budget, max, used, reserved: 0 }, 1)]
}
