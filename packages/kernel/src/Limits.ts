/**
 * Whether a budget still covers a step (L13). Pure, over the use that the fold has counted.
 *
 * @since 0.1.0
 */
import type { Budget } from "@backstitch/contracts/Budget"
import type { State } from "@backstitch/reducer/State"
import * as BudgetUse from "./BudgetUse.ts"
import * as Check from "./Check.ts"

/**
 * Checks each budget that the pack declares against what was used.
 *
 * @category combinators
 * @since 0.1.0
 */
export const checks = (
  budget: Budget,
  options: {
    readonly state: State
    readonly now: number
    readonly tokens: number
    readonly tool?: string | undefined
  }
): ReadonlyArray<Check.Check> => {
  const use = BudgetUse.of(options.state)
  const found: Array<Check.Check> = []
  const limit = (id: string, used: number, max: number | undefined, unit: string): void => {
    if (max === undefined) return
    const expected = `at most ${max} ${unit}`
    found.push(
      used <= max
        ? Check.pass("budget", id, { expected, found: `${used} ${unit}` })
        : Check.fail("budget", id, {
            expected,
            found: `${used} ${unit}`,
            remedy: `raise budgets.${id} in a new version of the pack, or end the run`
          })
    )
  }
  limit("steps", use.steps + 1, budget.steps, "steps")
  limit("tokens", Number(use.spent["tokens"] ?? 0) + options.tokens, budget.tokens, "tokens")
  limit("refusals", use.refusals, budget.refusals, "refusals")
  limit("anomalies", use.anomalies, budget.anomalies, "anomalies")
  const { tool } = options
  const calls = budget.calls ?? {}
  if (tool !== undefined && Object.hasOwn(calls, tool)) {
    limit(`calls.${tool}`, BudgetUse.callsOf(use, tool) + 1, calls[tool], "calls")
  }
  if (use.startedAt > 0) limit("elapsed", options.now - use.startedAt, budget.elapsedMillis, "ms")
  return found
}
