/**
 * Exact decimal numbers, for money.
 *
 * A decimal is a whole number of units and the number of digits after the point. Addition, subtraction,
 * multiplication and comparison are exact. A JSON number is converted to the shortest decimal that reads back as the
 * same number, as people see it: `1.005` is one and five thousandths, not its binary neighbour.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as Limits from "../Limits.ts"

/** An exact decimal: `units` divided by ten to the power of `scale`. */
export class Decimal {
  readonly units: bigint
  readonly scale: number

  constructor(units: bigint, scale: number) {
    this.units = units
    this.scale = scale
  }

  toString(): string {
    return format(this)
  }
}

/** Tells whether a value is a decimal. */
export const is: (value: unknown) => value is Decimal = Branded.guard(Decimal, "expressions/Decimal@1")

const { decimalDigitsMax } = Limits.deciding

const digits = `\\d{1,${decimalDigitsMax}}`

const notation = new RegExp(`^([+-]?)(${digits})(?:\\.(${digits}))?(?:[eE]([+-]?\\d{1,3}))?$`)

/** Reads a decimal from text or from a JSON number; `undefined` for anything else. */
export const from = (value: unknown): Decimal | undefined => {
  if (is(value)) return value
  if (typeof value !== "string" && typeof value !== "number") return undefined
  if (typeof value === "number" && Number.isSafeInteger(value)) return new Decimal(BigInt(value), 0)
  const match = notation.exec(String(value))
  if (match === null) return undefined
  const [, sign, whole = "0", fraction = "", exponent = "0"] = match
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  if (Math.abs(scale) > decimalDigitsMax) return undefined
  const signed = sign === "-" ? -units : units
  return scale >= 0 ? new Decimal(signed, scale) : new Decimal(signed * 10n ** BigInt(-scale), 0)
}

/** Writes a decimal with exactly its scale, for example two digits after the point for a scale of two. */
export const format = (self: Decimal): string => {
  const digits = (self.units < 0n ? -self.units : self.units).toString().padStart(self.scale + 1, "0")
  const sign = self.units < 0n ? "-" : ""
  if (self.scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -self.scale)}.${digits.slice(-self.scale)}`
}

/** Converts to the nearest JSON number. */
export const toNumber = (self: Decimal): number => Number(format(self))

const align = (left: Decimal, right: Decimal): readonly [bigint, bigint, number] => {
  if (left.scale === right.scale) return [left.units, right.units, left.scale]
  const scale = Math.max(left.scale, right.scale)
  return [left.units * 10n ** BigInt(scale - left.scale), right.units * 10n ** BigInt(scale - right.scale), scale]
}

/** Adds exactly. */
export const add = (left: Decimal, right: Decimal): Decimal => {
  const [a, b, scale] = align(left, right)
  return new Decimal(a + b, scale)
}

/** Subtracts exactly. */
export const subtract = (left: Decimal, right: Decimal): Decimal => {
  const [a, b, scale] = align(left, right)
  return new Decimal(a - b, scale)
}

/** Multiplies exactly; the scales add up. */
export const multiply = (left: Decimal, right: Decimal): Decimal =>
  new Decimal(left.units * right.units, left.scale + right.scale)

/** Changes the sign. */
export const negate = (self: Decimal): Decimal => new Decimal(-self.units, self.scale)

/** Orders by value, independent of the scales: negative, zero or positive. */
export const compare = (left: Decimal, right: Decimal): -1 | 0 | 1 => {
  const [a, b] = align(left, right)
  return a < b ? -1 : a > b ? 1 : 0
}

/** Rounds half to even at a number of digits after the point, and keeps exactly that many. */
export const round = (self: Decimal, precision: number): Decimal => {
  if (self.scale <= precision) {
    return new Decimal(self.units * 10n ** BigInt(precision - self.scale), precision)
  }
  const divisor = 10n ** BigInt(self.scale - precision)
  const negative = self.units < 0n
  const magnitude = negative ? -self.units : self.units
  const quotient = magnitude / divisor
  const twice = (magnitude % divisor) * 2n
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  const rounded = up ? quotient + 1n : quotient
  return new Decimal(negative ? -rounded : rounded, precision)
}
