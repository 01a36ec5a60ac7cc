/** The cost of a call as it is written: what it takes from the budgets. */
import type * as Expression from "@backstitch/expressions/Expression"
import { defined } from "@backstitch/trace/Defined"
import * as Budget from "../../rules/Budget.ts"
import * as Amount from "../../tool/Amount.ts"
import type * as Cost from "../../tool/Cost.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { expression } from "../language.ts"
import { readExpression } from "../scope.ts"

/** The name of a currency. */
export const currency: Grammar.Grammar<string, string> = {
  ...Grammar.text,
  read: (node) => {
    const name = node.text()
    return name === undefined || /^[A-Za-z0-9]{1,12}$/.test(name)
      ? name
      : node.expected("a currency such as CHF: letters and digits")
  }
}

/** Names in scope before the call and after it, and the currencies in which money is limited. */
interface Scope {
  readonly before: Expression.Names
  readonly names: Expression.Names
  readonly currencies: ReadonlyArray<string | undefined>
}

const cost = Grammar.object("cost", "The amounts that a call takes from the budgets.", {
  amount: Grammar.key("Money that is reserved before the call, over `args` and the state.", expression),
  actual: Grammar.key("Money that the call took, which may read `observed`. Default: the reserved amount.", expression),
  currency: Grammar.key("The currency of the budget. Needed if there are several.", currency),
  tokens: Grammar.key("Tokens of models that the call takes.", expression)
})

/** The cost of a call: an amount of money alone, or money and tokens by name. */
export const grammar = Grammar.bareOr(expression, cost)

/** Reads a cost: an amount of money alone, or money and tokens by name. */
export const readCost = (node: Node, scope: Scope): Cost.Cost | undefined => {
  if (node.isAbsent) return undefined
  const bare = !node.isRecord()
  if (!bare && !node.hasKeysOf(cost.keys)) return undefined
  const amountNode = bare ? node : node.at("amount")
  const amount = readAmount(amountNode, scope.before)
  const actualNode = node.at("actual")
  const actual = readAmount(actualNode, scope.names)
  const tokens = readAmount(node.at("tokens"), scope.before)
  if (!actualNode.isAbsent && amountNode.isAbsent) {
    actualNode.fail({ found: "actual without amount", expected: "the amount that is reserved for the call", key: true })
  }
  const money = moneyOf(bare ? undefined : node.at("currency"), scope.currencies, node)
  return {
    money,
    ...defined({ amount, actual, tokens })
  }
}

const readAmount = (node: Node, names: Expression.Names): Expression.Expression | undefined => {
  if (node.isAbsent) return undefined
  const { value } = node
  if (typeof value === "boolean" || (typeof value === "number" && (Amount.money(value) ?? "-").startsWith("-"))) {
    return node.expected("an amount of zero or more")
  }
  return readExpression(node, names)
}

/** A cost without a currency is in the currency in which money is limited. */
const moneyOf = (node: Node | undefined, currencies: Scope["currencies"], cost: Node): string => {
  const named = node === undefined ? undefined : currency.read(node, {})
  if (named !== undefined) return Budget.moneyName(named)
  if (currencies.length > 1) {
    cost.fail({
      found: "no currency",
      expected: `one of ${currencies.map((each) => each ?? "none").join(", ")}, in which the budgets limit money`
    })
  }
  return Budget.moneyName(currencies[0])
}
