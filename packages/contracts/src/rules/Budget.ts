/**
 * Limits on what a run may use up.
 *
 * Budgets are part of the state: a resumed, forked or recovered run continues with what is left. Every loop of the
 * kernel uses one, so no loop is endless, not even recovery.
 */
import * as Amount from "../tool/Amount.ts"

/** A limit on money, in one currency or without one. */
export interface Money {
  readonly currency?: string
  readonly precision: number
  readonly max: string
}

/**
 * Limits by name. An absent limit means that the pack does not limit it.
 *
 * **Details**
 *
 * With `shared`, a run and its forks use one budget: the share of a fork is taken from its parent. Otherwise a fork
 * may use what its parent has left, and only an explicit share is taken from the parent.
 */
export interface Budget {
  readonly steps?: number
  readonly tokens?: number
  readonly elapsedMillis?: number
  readonly money?: ReadonlyArray<Money>
  readonly refusals?: number
  readonly anomalies?: number
  readonly retries?: number
  readonly recoveries?: number
  /** Calls by tool. */
  readonly calls?: Readonly<Record<string, number>>
  readonly shared?: boolean
  readonly verification?: Verification
}

/**
 * Limits on questions to the world: for a whole run, and for each action. They are separate from other budgets, so
 * that work cannot use up the questions that verify it.
 */
export interface Verification {
  readonly run?: number
  readonly action?: number
}

/** Names of the limits that are plain counts. */
export const counts = ["steps", "tokens", "refusals", "anomalies", "retries", "recoveries"] as const

/** Name of the budget of money in a currency. */
export const moneyName = (currency: string | undefined): string =>
  currency === undefined ? "money" : `money.${currency}`

/** Decimals of the amounts of a budget: those that it declares for its currency, or two. */
export const precisionOf = (self: Budget, name: string): number =>
  (self.money ?? []).find(({ currency }) => name === moneyName(currency))?.precision ?? 2

/** Name of the budget of calls of a tool. */
export const callsName = (tool: string): string => `calls.${tool}`

/** All limits that can be divided, by name. Elapsed time is not among them, since it passes for all runs alike. */
export const limits = (self: Budget): Amount.Amounts => {
  const found: { [budget: string]: Amount.Amount } = {}
  for (const name of counts) {
    const max = self[name]
    if (max !== undefined) found[name] = max
  }
  for (const [tool, max] of Object.entries(self.calls ?? {})) found[callsName(tool)] = max
  for (const { currency, max } of self.money ?? []) found[moneyName(currency)] = Amount.money(max) ?? max
  if (self.verification?.run !== undefined) found["verification"] = self.verification.run
  return found
}
