/** Takes a proposal in from outside, and refuses values that a trace cannot carry before anything is decided. */
import * as Amount from "@backstitch/contracts/Amount"
import * as Check from "@backstitch/kernel/Check"
import * as Proposal from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Form from "@backstitch/trace/Form"
import * as Result from "effect/Result"
import { toTraceArguments, toTraceJson } from "../ports/traceJson.ts"

/** Reads a proposal from outside, such as a model's JSON or a client's request, whose types are not checked yet. */
export const readProposal = (given: Proposal.Proposal): Result.Result<Proposal.Proposal, Check.Check> => {
  const misfit = Proposal.misfit(given)
  if (misfit !== undefined) return Result.fail(misfit)
  const problem = problemOf(given)
  if (problem !== undefined) return Result.fail(unrecordable(problem))
  try {
    return Result.succeed(recordableProposal(given))
  } catch (error) {
    return Result.fail(unrecordable(error instanceof Error ? error.message : String(error)))
  }
}

/** The check of a proposal that cannot be recorded, because a trace cannot carry it. */
export const unrecordable = (found: string): Check.Check =>
  Check.fail("schema", "proposal", "proposal.not_recordable", {}, found)

/** Names are kept unchanged, so half of a surrogate pair is refused. */
const namesOf = ({ agent, breakGlass, command, dependsOn = [], tool, type }: Proposal.Proposal) =>
  [agent, breakGlass?.by, breakGlass?.reason, command, ...dependsOn, tool, type].filter((name) => name !== undefined)

/** Tells whether a spending is valid: money is a decimal amount, everything else a count, and none is negative. */
const isSpending = ([budget, value]: readonly [string, unknown]): boolean =>
  budget.isWellFormed() && (Form.isMoneyName(budget) ? !(Amount.money(value) ?? "-").startsWith("-") : isNatural(value))
const isNatural = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const problemOf = (given: Proposal.Proposal): string | undefined => {
  const torn = namesOf(given).find((name) => !name.isWellFormed())
  if (torn !== undefined) return `half of a character is in ${torn}`
  const wrong = Object.entries(given.spent ?? {}).find((entry) => !isSpending(entry))
  return wrong === undefined ? undefined : `spent.${wrong[0]} is ${wrong[1]}`
}

const recordableProposal = (proposal: Proposal.Proposal): Proposal.Proposal => {
  const { data, description, params, spent, uncertainty } = proposal
  return {
    ...proposal,
    ...(data === undefined ? {} : { data: toTraceJson(data) as JsonObject }),
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    ...(params === undefined ? {} : { params: toTraceArguments(params) }),
    ...(spent === undefined ? {} : { spent: readSpent(spent) }),
    ...(uncertainty === undefined ? {} : { uncertainty: uncertainty.toWellFormed() })
  }
}

const readSpent = (spent: Amount.Amounts): Amount.Amounts =>
  Object.fromEntries(
    Object.entries(spent).map(([budget, value]) => [
      budget,
      Form.isMoneyName(budget) ? (Amount.money(value) ?? "0") : value
    ])
  )
