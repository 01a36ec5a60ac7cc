/** The words about budgets, an action that one leaves unsettled, and the share and the rules of a fork. */
import * as Amount from "@backstitch/contracts/Amount"
import * as Duration from "@backstitch/contracts/Duration"
import type { Next } from "../../said/Next.ts"
import { fact, said } from "../../said/Said.ts"
import type { Findings, Policies, Slices } from "../../said/Words.ts"

const amend = (words: string): Next => ({ verb: "amend", words })

const unitOf = (budget: string): string => {
  const [kind = "", name] = budget.split(".")
  if (kind === "money") return name ?? "of money"
  return kind === "topology" ? (name ?? kind) : kind
}

/** The words of budgets that do not cover a call. */
export const budgets = {
  "budget.elapsed": ({ elapsedMillis, maxMillis }) =>
    said(
      Duration.format(elapsedMillis),
      `at most ${Duration.format(maxMillis)}`,
      amend("raise budgets.elapsed in a new version of the pack, or end the run")
    ),
  "budget.exceeded": ({ asked, budget, given = [], held = [], max, reserved, used }) =>
    said(
      `${Amount.plus(Amount.plus(used, reserved), asked)} ${unitOf(budget)}: ${used} used, ${reserved} reserved, ${asked} asked`,
      `at most ${max} ${unitOf(budget)}`,
      ...held.map(
        ({ action, amount }): Next => ({ verb: "resume", words: `${action} is settled, which holds ${amount}` })
      ),
      ...given.map(({ amount, run }): Next => ({ run, verb: "resume", words: `it was given ${amount}` })),
      amend(`raise ${budget.startsWith("topology.") ? "" : "budgets."}${budget} in a new version of the pack`),
      { verb: "end" }
    ),
  "budget.questions": ({ asked, max, per }) =>
    said(`${asked} questions`, `at most ${max} ${per === "action" ? "about one action" : "in the run"}`),
  "budget.stopped": ({ budget, tool, why }, tell) =>
    fact(
      `${tool} is not settled, and the budget of ${budget} is used up: ${tell(why)}`,
      { verb: "amend", words: "raise the budget in a new version of the pack" },
      { verb: "look" }
    ),
  "verification.stopped": ({ tool, why }, tell) =>
    fact(`what became of ${tool} is unverifiable: verification has no budget left: ${tell(why)}`, {
      verb: "resolve",
      words: "it is never reported as done until then"
    })
} satisfies Partial<Findings>

/** The reasons for which a fork does not get the share of a budget that it asks for. */
export const slices: Slices = {
  amount_too_large: ({ budget, left }) =>
    `its parent has ${left} of ${budget} left, what is reserved for open actions not counted`,
  amount_unreadable: ({ budget, text }) => `${text} is no amount of ${budget}`,
  budget_unknown: ({ budget, budgets: known }) =>
    known.length === 0
      ? "the pack limits nothing that could be divided"
      : `write a share such as 50%, or an amount of ${known.join(", ")}${budget === "" ? "" : `; "${budget}" is none of them`}`,
  share_too_large: () => "it is more than there is"
}

/** The reasons for which a rule is no policy of a fork. */
export const policies: Policies = {
  expression_invalid: ({ invalid }) => invalid.message,
  judges_nothing: ({ type }) =>
    `the policy of a fork is asked about calls of tools alone, and ${type === undefined ? "the pack has no tool" : `${type} is none`}. ` +
    "Refuse other steps with a guard, in another pack",
  rule_unreadable: () => "write TOOL=deny or TOOL=approve",
  tool_unknown: ({ tool, tools }) =>
    `there is no tool ${tool}. ${tools.length === 0 ? "The run has no pack" : `The tools are ${tools.join(", ")}`}`
}
