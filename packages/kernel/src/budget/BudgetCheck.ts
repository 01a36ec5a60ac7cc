/** The check of a budget against the expected use of a step (L13). Pure, over the use that the fold has counted. */
import * as Amount from "@backstitch/contracts/Amount"
import * as Budget from "@backstitch/contracts/Budget"
import type { State } from "@backstitch/reducer/State"
import type { Said } from "../decision/CommitContent.ts"
import * as Check from "../payload/Check.ts"
import * as BudgetUse from "./BudgetUse.ts"

/**
 * The present standing of a budget: its limit, the amount used, and the amount reserved for actions under way.
 *
 * **Details**
 *
 * `max` is the pack's limit or the share of a fork, whichever is less.
 */
export interface BudgetUsage {
  readonly budget: string
  readonly max: Amount.Amount
  readonly used: Amount.Amount
  readonly reserved: Amount.Amount
}

/** Lists what a run has used of each limit but elapsed time: forks have a share of these. */
export const usage = (budget: Budget.Budget, state: State): ReadonlyArray<BudgetUsage> => {
  const limits = Object.entries(Budget.limits(budget))
  // Without a limit, the use need not be summed up.
  if (limits.length === 0) return []
  const use = BudgetUse.of(state)
  const [used, reserved] = [BudgetUse.usedOf(use), BudgetUse.reservedOf(use)]
  return limits.map(([name, limit]) => {
    const cap = use.caps !== undefined && Object.hasOwn(use.caps, name) ? use.caps[name] : undefined
    const max = cap !== undefined && Amount.compare(cap, limit) < 0 ? cap : limit
    return { budget: name, max, used: Amount.of(used, name), reserved: Amount.of(reserved, name) }
  })
}

/** Calculates the part of a budget that is neither used nor reserved. */
export const left = ({ max, reserved, used }: BudgetUsage): Amount.Amount =>
  Amount.minus(max, Amount.plus(used, reserved))

/** Tells whether the rest of a budget covers an amount. */
export const covers = ({ max, reserved, used }: BudgetUsage, asked: Amount.Amount): boolean =>
  Amount.compare(Amount.plus(Amount.plus(used, reserved), asked), max) <= 0

/** The amounts that every proposal of an agent asks for. */
const least: Amount.Amounts = { anomalies: 0, refusals: 0, steps: 1, tokens: 0 }

/**
 * Checks each budget that the pack declares and that a proposal draws on. `asks` is the amount that the proposal
 * would use.
 */
export const checks = (
  budget: Budget.Budget,
  options: {
    readonly state: State
    readonly now: number
    readonly tool?: string | undefined
    readonly asks?: Amount.Amounts | undefined
  }
): ReadonlyArray<Check.Check> => {
  const { now, state, tool } = options
  const calls = tool === undefined ? {} : { [Budget.callsName(tool)]: 1 }
  const asks: Amount.Amounts = { ...least, ...options.asks, ...calls }
  const found = usage(budget, state)
    .filter((each) => Object.hasOwn(asks, each.budget))
    .map((each) => check(state, each, Amount.of(asks, each.budget)))
  const { startedAt } = BudgetUse.of(state)
  const { elapsedMillis } = budget
  if (startedAt === 0 || elapsedMillis === undefined) return found
  const elapsed = now - startedAt
  return [
    ...found,
    elapsed <= elapsedMillis
      ? Check.pass("budget", "elapsed")
      : Check.fail("budget", "elapsed", "budget.elapsed", { elapsedMillis: elapsed, maxMillis: elapsedMillis })
  ]
}

/** Checks one budget, and names its limit, the amounts used and reserved, and the actions that hold a part of it. */
export const check = (state: State, self: BudgetUsage, asked: Amount.Amount): Check.Check => {
  const { budget, max, reserved, used } = self
  if (covers(self, asked)) return Check.pass("budget", budget)
  const [given, held] = [takers(state, budget), holders(state, budget)]
  return Check.fail("budget", budget, "budget.exceeded", {
    asked,
    budget,
    ...(given.length === 0 ? {} : { given }),
    ...(held.length === 0 ? {} : { held }),
    max,
    reserved,
    used
  })
}

/** Tells whether a check will refuse each further proposal of the agent: the time, or a budget of each, is used up. */
export const isFinal = (check: Check.Check): boolean => {
  const { id, why } = check
  if (Check.isOk(check) || why === undefined) return false
  if (why.code === "budget.elapsed") return true
  if (why.code !== "budget.exceeded" || !Object.hasOwn(least, id)) return false
  const { max, used } = why.args
  return !covers({ budget: id, max, reserved: 0, used }, Amount.of(least, id))
}

/** Reports exhausted budgets. Each is reported once in a run. */
export const exhausted = (
  state: State,
  checks: ReadonlyArray<Check.Check>
): ReadonlyArray<Said<"budget.exhausted">> => {
  const reported = BudgetUse.of(state).exhausted
  return checks.flatMap((check) => {
    const { id, step, why } = check
    if (step !== "budget" || Check.isOk(check) || why === undefined || reported.includes(id)) return []
    return [{ data: { budget: id, why } }]
  })
}

/** The actions that hold a part of a budget until they are settled. */
const holders = (state: State, budget: string) =>
  Object.entries(BudgetUse.of(state).reserved ?? {}).flatMap(([action, amounts]) => {
    const amount = Amount.of(amounts, budget)
    return Amount.isSome(amount) ? [{ action, amount }] : []
  })

/** The forks that received a part of a budget. */
const takers = (state: State, budget: string) =>
  Object.entries(BudgetUse.of(state).given ?? {}).flatMap(([run, amounts]) => {
    const amount = Amount.of(amounts, budget)
    return Amount.isSome(amount) ? [{ amount, run }] : []
  })
