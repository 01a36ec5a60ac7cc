/**
 * The budgets of a pack as they are written: steps, tokens, money, time (`elapsed`), refusals, retries, `calls` of a
 * tool, and questions that verify (`verification`).
 */
import * as Decimal from "@backstitch/expressions/Decimal"
import * as Limits from "../../Limits.ts"
import * as Budget from "../../rules/Budget.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { duration } from "../language.ts"
import { currency } from "../tool/costGrammar.ts"

const max = Grammar.leaf<number | string, Decimal.Decimal>(
  { anyOf: [{ type: "number" }, { type: "string" }] },
  (node) => {
    const amount = Decimal.from(node.value)
    return amount === undefined || amount.units < 0n ? node.expected("an amount of zero or more") : amount
  }
)

const money = Grammar.complete(
  Grammar.object("money", "A limit on money.", {
    currency: Grammar.key("Its currency, such as CHF. One limit may be without one.", currency),
    decimal: Grammar.key("Digits behind the point. Default: 2.", Grammar.count(Limits.refusing.fieldDigitsMax)),
    max: Grammar.key("The most that a run may spend, reserved amounts included.", Grammar.needed(max))
  }),
  ({ currency, decimal: precision = 2, max }, node): Budget.Money | undefined => {
    if (max === undefined) return undefined
    if (max.scale > precision) return node.at("max").expected(`an amount with ${precision} digits`)
    const rounded = Decimal.format(Decimal.round(max, precision))
    return { ...(currency === undefined ? {} : { currency }), precision, max: rounded }
  }
)

/** One limit, or several in currencies that differ. */
const limits: Grammar.Grammar<
  Grammar.WrittenOf<typeof money> | ReadonlyArray<Grammar.WrittenOf<typeof money>>,
  ReadonlyArray<Budget.Money>
> = {
  ...Grammar.oneOrMany(money),
  read: (node, names) => {
    const known = new Set<string>()
    return Grammar.nodesOf(node).flatMap((each) => {
      const limit = money.read(each, names)
      if (limit === undefined) return []
      const name = Budget.moneyName(limit.currency)
      if (known.has(name)) each.fail({ found: `${name} twice`, expected: "one limit for each currency" })
      known.add(name)
      return [limit]
    })
  }
}

const verification = Grammar.object("verification", "The reads of systems of record that verification may make.", {
  run: Grammar.key("Questions of a whole run.", Grammar.count()),
  action: Grammar.key("Questions about one action.", Grammar.count())
})

const { count, key } = Grammar

/** The limits of a run. */
export const budgets = Grammar.object("budgets", "The amounts that a run may use up.", {
  steps: key("Intents that the agent may propose.", count()),
  tokens: key("Tokens of models, by the usage that proposals and costs name.", count()),
  refusals: key("Refused intents. At the limit, nothing more may be proposed.", count()),
  anomalies: key("Anomalies. At the limit, nothing more may be proposed.", count()),
  retries: key("Repeated sends of requests under their keys.", count()),
  recoveries: key("Recoveries that the tables choose.", count()),
  elapsed: key("Time from the beginning of the run.", duration),
  money: key("Limits on money: one, or one for each currency.", limits),
  calls: key("Calls of single tools, by name.", Grammar.record(count())),
  shared: key("`true`: a run and its forks use one budget together.", Grammar.flag),
  verification: key("Questions to the world, apart from all other budgets.", verification)
} satisfies { readonly [Name in (typeof Budget.counts)[number]]: unknown } & Grammar.Properties)

/** Reads the budgets, including those for the calls of single tools. */
export const readBudget = (node: Node, tools: ReadonlyArray<string>): Budget.Budget => {
  if (node.isAbsent) return {}
  const { calls = {}, money = [], ...rest } = budgets.read(node, {}) ?? {}
  for (const [tool, child] of node.at("calls").entries()) {
    if (!tools.includes(tool)) child.fail({ found: `tool ${tool}`, expected: `one of ${tools.join(", ")}`, key: true })
  }
  return {
    ...rest,
    ...(money.length === 0 ? {} : { money }),
    ...(Object.keys(calls).length === 0 ? {} : { calls })
  }
}
