/** The words of budgets: a refusal because one is used up, and an action that it leaves unsettled. */
import * as Amount from "@backstitch/contracts/Amount"
import type { Next } from "../said/Next.ts"
import { fact, said } from "../said/Said.ts"
import type { Findings } from "../said/Words.ts"

const amend = (words: string): Next => ({ verb: "amend", words })

const unitOf = (budget: string): string => {
  const [kind = "", name] = budget.split(".")
  return kind === "money" ? (name ?? "of money") : kind
}

export const budgets = {
  "budget.elapsed": ({ elapsedMillis, maxMillis }) =>
    said(
      `${elapsedMillis} ms`,
      `at most ${maxMillis} ms`,
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
      amend(`raise budgets.${budget} in a new version of the pack`),
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
