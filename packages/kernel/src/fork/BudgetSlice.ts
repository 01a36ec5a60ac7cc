/**
 * The share of a fork in the rest of each budget of its parent. A fork has no budget of its own (L13).
 *
 * A fork without a declared share may use the rest of its parent's budgets, and the parent may use it too: most forks
 * only explore an alternative and do nothing. A declared share is taken from the parent. So is every share under a
 * pack whose budgets are `shared`, so that ten forks of a run have one budget together.
 *
 * @source docs/decisions/0039
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Budget from "@backstitch/contracts/Budget"
import type { State } from "@backstitch/reducer/State"
import * as Result from "effect/Result"
import * as BudgetCheck from "../budget/BudgetCheck.ts"
import * as BudgetUse from "../budget/BudgetUse.ts"

/** The share of a fork, and the part of it that is taken from its parent. */
export interface BudgetSlice {
  readonly given: Amount.Amounts
  readonly taken: Amount.Amounts
}

/**
 * The reason for which a rule cannot be kept.
 *
 * **Details**
 *
 * - `share_too_large`: the rule takes a share of more than everything.
 * - `amount_unreadable`: `text` is no amount of the budget.
 * - `amount_too_large`: the parent has `left` of it, without what is reserved for open actions.
 * - `budget_unknown`: the rule names no budget of the pack; `budgets` is empty if the pack limits none.
 */
export type SliceFault =
  | { readonly code: "share_too_large" }
  | { readonly code: "amount_unreadable"; readonly budget: string; readonly text: string }
  | { readonly code: "amount_too_large"; readonly budget: string; readonly left: Amount.Amount }
  | { readonly code: "budget_unknown"; readonly budget: string; readonly budgets: ReadonlyArray<string> }

/** A rule that cannot be kept, with the reason. */
export interface RuleRefused {
  readonly rule: string
  readonly problem: SliceFault
}

/**
 * Cuts the slice of a fork from the rest of its parent's budgets. The failure names a rule that cannot be met, and
 * the reason.
 *
 * **Details**
 *
 * A rule is a share of everything, such as `50%`, or an amount of one budget, such as `steps=10` or `money.CHF=1.50`.
 * `state` is the state at the parent's head. Amounts that the parent already gave to a fork of this name count once
 * and are given again.
 */
export const cut = (
  budget: Budget.Budget,
  state: State,
  asked: { readonly child: string; readonly rules: ReadonlyArray<string> }
): Result.Result<BudgetSlice, RuleRefused> => {
  const standing = BudgetCheck.usage(budget, state)
  const left: Amount.Amounts = Object.fromEntries(standing.map((each) => [each.budget, BudgetCheck.left(each)]))
  const before = BudgetUse.of(state).given?.[asked.child]
  if (before !== undefined) return Result.succeed({ given: { ...left, ...before }, taken: {} })
  const given: { [name: string]: Amount.Amount } = { ...left }
  const named = new Set(budget.shared === true ? Object.keys(left) : [])
  for (const rule of asked.rules) {
    const fail = (problem: SliceFault) => Result.fail({ rule, problem })
    const [, percent] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(rule) ?? []
    const [, name = "", text = ""] = /^([^=]+)=(.+)$/.exec(rule) ?? []
    if (percent !== undefined) {
      if (Number(percent) > 100) return fail({ code: "share_too_large" })
      for (const { budget: each } of standing) {
        given[each] = Amount.share(Amount.of(left, each), Number(percent) / 100, Budget.precisionOf(budget, each))
        named.add(each)
      }
      continue
    }
    if (!Object.hasOwn(left, name)) return fail({ budget: name, budgets: Object.keys(left), code: "budget_unknown" })
    const amount = typeof left[name] === "string" ? Amount.money(text) : wholeOf(text)
    if (amount === undefined || Amount.compare(amount, 0) < 0) {
      return fail({ budget: name, code: "amount_unreadable", text })
    }
    if (Amount.compare(amount, Amount.of(left, name)) > 0) {
      return fail({ budget: name, code: "amount_too_large", left: Amount.of(left, name) })
    }
    given[name] = amount
    named.add(name)
  }
  const taken = Object.fromEntries([...named].map((name) => [name, Amount.of(given, name)]))
  return Result.succeed({ given, taken })
}

const wholeOf = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
