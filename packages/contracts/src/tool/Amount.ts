/**
 * Amounts of a budget: a whole number, or an exact decimal of money as text.
 *
 * Counts and money are added, subtracted and compared by the same functions, so a budget need not know which it
 * limits. Money is never a float: it is written as the shortest decimal, `0.1`, and added exactly.
 */

import * as Decimal from "@backstitch/expressions/Decimal"
import * as Form from "@backstitch/trace/Form"
import * as Limits from "../Limits.ts"

/** An amount: a count as a number, money as decimal text. */
export type Amount = number | string

/** Amounts by the name of their budget, such as `tokens` or `money.CHF`. */
export interface Amounts {
  readonly [budget: string]: Amount
}

const { amountDigitsMax } = Limits.deciding

/**
 * Reads an amount of money, in its shortest form; `undefined` if the text is no amount. Beyond `amountDigitsMax` digits
 * after the point it is rounded half to even.
 */
export const money = (value: unknown): string | undefined => {
  const read = Decimal.from(value)
  return read === undefined ? undefined : shortest(read)
}

/** Adds two amounts. */
export const plus = (left: Amount, right: Amount): Amount => both(left, right, Decimal.add, (a, b) => a + b)

/** Subtracts, with zero as the minimum. */
export const minus = (left: Amount, right: Amount): Amount =>
  compare(left, right) <= 0 ? nothing(left) : both(left, right, Decimal.subtract, (a, b) => a - b)

/** A share of an amount, `0` to `1`, rounded down: to whole things, or to `precision` digits of money. */
export const share = (amount: Amount, part: number, precision = 2): Amount => {
  const exact = Decimal.multiply(decimal(amount), Decimal.from(part) ?? none)
  const digits = typeof amount === "number" ? 0 : precision
  const units = exact.scale <= digits ? exact.units : exact.units / 10n ** BigInt(exact.scale - digits)
  const floor = new Decimal.Decimal(units, Math.min(exact.scale, digits))
  return typeof amount === "number" ? Decimal.toNumber(floor) : shortest(floor)
}

/** Orders amounts by value. */
export const compare = (left: Amount, right: Amount): -1 | 0 | 1 => Decimal.compare(decimal(left), decimal(right))

/** Adds amounts, budget by budget. */
export const total = (left: Amounts, right: Amounts): Amounts => {
  const sum: { [budget: string]: Amount } = { ...left }
  for (const [budget, amount] of Object.entries(right)) {
    const before = Object.hasOwn(left, budget) ? left[budget] : undefined
    sum[budget] = before === undefined ? amount : plus(before, amount)
  }
  return sum
}

/** The amount under a name; zero of its kind if there is none. */
export const of = (amounts: Amounts, budget: string): Amount =>
  (Object.hasOwn(amounts, budget) ? amounts[budget] : undefined) ?? (Form.isMoneyName(budget) ? "0" : 0)

/** Tells whether an amount is more than zero. */
export const isSome = (amount: Amount): boolean => compare(amount, 0) > 0

const none = new Decimal.Decimal(0n, 0)

const decimal = (amount: Amount): Decimal.Decimal => Decimal.from(amount) ?? none

const nothing = (amount: Amount): Amount => (typeof amount === "number" ? 0 : "0")

const both = (
  left: Amount,
  right: Amount,
  exactly: (left: Decimal.Decimal, right: Decimal.Decimal) => Decimal.Decimal,
  counted: (left: number, right: number) => number
): Amount =>
  typeof left === "number" && typeof right === "number"
    ? counted(left, right)
    : shortest(exactly(decimal(left), decimal(right)))

const shortest = (value: Decimal.Decimal): string => {
  let { scale, units } = value.scale > amountDigitsMax ? Decimal.round(value, amountDigitsMax) : value
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale -= 1
  }
  return Decimal.format(new Decimal.Decimal(units, scale))
}
