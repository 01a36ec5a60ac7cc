/**
 * Limits on what a run may use up.
 *
 * Budgets are part of the state: a resumed, forked or recovered run goes on
 * with what is left. Every loop of the kernel draws on one, so that nothing
 * can flood, not even recovery.
 */
import * as Amount from "../tool/Amount.ts"

/** A limit on money, in one currency or in none that is named. */
export interface Money {
  readonly currency?: string
  readonly precision: number
  readonly max: string
}

/**
 * Limits by what they limit. What is absent is not limited by the pack.
 *
 * **Details**
 *
 * With `shared`, a run and its forks use one budget: what a fork is given is
 * taken from its parent. Without it a fork may use what its parent has left,
 * and only a share that it is expressly given is taken from the parent.
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
 * Limits on questions to the world about actions: by all of a run, and by each. Verification has a budget of its own,
 * so that work does not use up the questions that prove it.
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

/** Name of the budget of calls of a tool. */
export const callsName = (tool: string): string => `calls.${tool}`

/** Everything that is limited and can be divided, by name; elapsed time runs for all alike and is not among it. */
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
