/**
 * The decisions about forks: the share that a parent gives to a fork, and the beginning of a fork.
 *
 * Both are decided in the state of the parent's head, even if the fork begins at an earlier tick. Its budget is a
 * share of what is left now (L13), and an act that was undone in the meantime is undone for the fork as well. The
 * fork records the tick of that head as `seen`, so that both decisions can be made again from the parent's trace. The
 * fork's own trace suffices only if it begins at the parent's head.
 *
 * @source docs/decisions/0039
 * @see {@link cut} of BudgetSlice, which reads what people ask for
 */
import * as Amount from "@backstitch/contracts/Amount"
import type * as Budget from "@backstitch/contracts/Budget"
import type { State } from "@backstitch/reducer/State"
import * as Fork from "@backstitch/version-control/Fork"
import * as Result from "effect/Result"
import * as BudgetCheck from "../budget/BudgetCheck.ts"
import * as BudgetUse from "../budget/BudgetUse.ts"
import type { Command } from "../decision/Command.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Check from "../payload/Check.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * Decides the share of a fork: once for each fork, and at most what its parent has left. Under shared
 * budgets, the fork also receives all that is left of budgets that are not named.
 */
export const give = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { amounts, child }: Command & { readonly _tag: "Slice" }
): Decision => {
  const given = BudgetUse.of(state).given?.[child]
  if (given !== undefined) {
    return end({ _tag: "Done", tick: DecisionTerms.standsAt(terms), output: given, basis: "committed" })
  }
  const budget = terms.pack?.budget ?? {}
  const refused = exceeding(budget, state, amounts)
  if (refused.length > 0) return end({ _tag: "Refused", tick: undefined, checks: refused })
  const taken = { ...(budget.shared === true ? leftOf(budget, state) : {}), ...amounts }
  if (Object.keys(taken).length === 0) {
    return end({ _tag: "Done", tick: DecisionTerms.standsAt(terms), output: taken, basis: "committed" })
  }
  const data = { budget: taken, child }
  return end(
    { _tag: "Done", tick: terms.tick, output: taken, basis: "committed" },
    CommitContent.records(DecisionTerms.draft(terms, { author: "kernel", data, type: "budget.sliced" }))
  )
}

/**
 * Decides the beginning of a fork, in the state of its parent's head and under the pack of the fork. It may use
 * its share; of budgets without a share it may use no more than is left.
 */
export const begin = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { amounts, begins }: Command & { readonly _tag: "Fork" }
): Decision => {
  const { pack, run } = terms
  const budget = pack?.budget ?? {}
  const given = BudgetUse.of(state).given?.[run.id]
  const left = leftOf(budget, state)
  // Under shared budgets, amounts that were not given belong to the parent.
  const free = budget.shared === true && given === undefined ? {} : left
  const own = Object.fromEntries(Object.entries(amounts).filter(([name]) => given?.[name] === undefined))
  const refused = exceeding(budget, state, own)
  const share = { ...free, ...own, ...given }
  const changes = { ...begins.changes, ...(Object.keys(share).length === 0 ? {} : { budget: share }) }
  const made = Fork.draft({ ...begins, asOf: terms.now, changes, child: run, ts: terms.now })
  if (refused.length > 0 || Result.isFailure(made) || Object.keys(left).some((name) => !Object.hasOwn(share, name))) {
    return end({ _tag: "Refused", tick: undefined, checks: refused })
  }
  const { data = {} } = made.success.body
  return end({ _tag: "Done", tick: terms.tick, output: data, basis: "committed" }, CommitContent.records(made.success))
}

const leftOf = (budget: Budget.Budget, state: State): Amount.Amounts =>
  Object.fromEntries(BudgetCheck.usage(budget, state).map((each) => [each.budget, BudgetCheck.left(each)]))

/** The amounts that exceed what is left under the pack's limits. Nothing is left of a limit that was exceeded. */
const exceeding = (budget: Budget.Budget, state: State, amounts: Amount.Amounts): ReadonlyArray<Check.Check> =>
  BudgetCheck.usage(budget, state)
    .filter(({ budget }) => Amount.isSome(Amount.of(amounts, budget)))
    .map((each) => BudgetCheck.check(state, each, Amount.of(amounts, each.budget)))
    .filter((check) => !Check.isOk(check))
