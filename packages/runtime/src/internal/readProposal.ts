/**
 * Takes a proposal in from outside: what a trace cannot carry is refused before anything is decided.
 *
 * @since 0.1.0
 */
import * as Amount from "@backstitch/contracts/Amount"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Form from "@backstitch/trace/Form"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { recordable } from "./recordable.ts"

/** What comes from outside is typed by its caller alone: a model's JSON, a client's request. */
export const readProposal = (given: Proposal): Result.Result<Proposal, string> => {
  const problem = problemOf(given)
  if (problem !== undefined) return Result.fail(problem)
  try {
    return Result.succeed(recordableProposal(given))
  } catch (error) {
    return Result.fail(error instanceof Error ? error.message : String(error))
  }
}

const isNatural = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isText = (value: unknown): boolean => typeof value === "string"
const isName = (value: unknown): boolean => typeof value === "string" && value.isWellFormed()

/** Money is an amount, whatever else is spent is counted. Nothing is given back by saying so. */
const isSpending = ([budget, value]: readonly [string, unknown]): boolean =>
  isName(budget) && (Form.isMoneyName(budget) ? !(Amount.money(value) ?? "-").startsWith("-") : isNatural(value))

const shapes: { readonly [Name in keyof Proposal]-?: (value: unknown) => boolean } = {
  agent: isName,
  author: isName,
  basis: isNatural,
  breakGlass: (value) =>
    Canonical.isObject(value) && ["by", "reason"].every((name) => isName((value as JsonObject)[name])),
  command: isName,
  confidence: Schema.is(Form.Confidence),
  data: Canonical.isObject,
  dependsOn: (value) => Array.isArray(value) && value.every(isName),
  description: isText,
  occurrence: (value) => isNatural(value) && value !== 0,
  occurrenceBy: (value) => value === "instance" || value === "plan" || value === "user",
  params: () => true,
  spent: (value) => Canonical.isObject(value) && Object.entries(value as object).every(isSpending),
  tokens: isNatural,
  tool: isName,
  type: isName,
  uncertainty: isText
}

const fields = Object.entries(shapes) as ReadonlyArray<readonly [keyof Proposal, (value: unknown) => boolean]>

const problemOf = (given: Proposal): string | undefined => {
  for (const [name, fits] of fields) {
    const value = given[name]
    if (value !== undefined && !fits(value)) return `${name} is ${String(value)}`
  }
  return undefined
}

const recordableProposal = (proposal: Proposal): Proposal => {
  const { data, description, params, spent, uncertainty } = proposal
  return {
    ...proposal,
    ...(data === undefined ? {} : { data: recordable(data) as JsonObject }),
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    ...(params === undefined ? {} : { params: recordable(params) }),
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
