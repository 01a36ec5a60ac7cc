/**
 * The operators of the expression profile, over values.
 *
 * There is one number type, as in JSON. Decimals are exact if a field declares them, strings are ordered and counted
 * by code points, and the cost in steps grows with the sizes of values.
 */
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import { isList, isRecord, isTable } from "../values/Container.ts"
import * as Decimal from "../values/Decimal.ts"
import * as Field from "../values/Field.ts"

/** A failure during evaluation. It is no `Error`: `||` and `&&` absorb failures, and a stack trace would cost time. */
export class Raised {
  readonly reason: string
  readonly start: number
  readonly fatal: boolean

  constructor(reason: string, start: number, fatal = false) {
    this.reason = reason
    this.start = start
    this.fatal = fatal
  }
}

/** Tells whether a value is a failure during evaluation. */
export const isRaised = Branded.guard(Raised, "expressions/Raised@1")

/** One evaluation: the values of the names, the variables of comprehensions, and the remaining steps. */
export class Frame {
  readonly bindings: Readonly<Record<string, unknown>>
  readonly locals: Array<unknown>
  steps: number

  constructor(bindings: Readonly<Record<string, unknown>>, slots: number, steps: number) {
    this.bindings = bindings
    this.locals = slots === 0 ? none : new Array<unknown>(slots)
    this.steps = steps
  }

  spend(count: number, start: number): void {
    this.steps -= count
    if (this.steps < 0) throw new Raised("the expression takes more steps than it may", start, true)
  }
}

const none: Array<unknown> = []

/** Raises a failure at a place in the source. */
export const raise = (reason: string, start: number): never => {
  throw new Raised(reason, start)
}

const noMeaning = (operator: string, left: unknown, right: unknown, start: number): never =>
  raise(`${operator} has no meaning between ${nameOf(left)} and ${nameOf(right)}`, start)

/** Names a value in a message, and distinguishes decimals from strings. */
export const nameOf = (value: unknown): string =>
  Decimal.is(value) ? `decimal ${Decimal.format(value)}` : Field.nameOf(value)

const finite = (value: number, start: number): number =>
  Number.isFinite(value) ? value : raise("the result is not a finite number", start)

/** A whole number that JSON numbers represent exactly. Beyond 2^53, several numbers are written alike. */
export const exact = (value: unknown, start: number): unknown =>
  Number.isSafeInteger(value)
    ? value === 0
      ? 0
      : value
    : raise(`the whole number ${String(value)} is too large to be exact`, start)

/** A number that is exact if it is whole. */
export const known = (value: number, start: number): unknown => (Number.isInteger(value) ? exact(value, start) : value)

/** A pair of decimals if one side is exact and the other can be converted; `undefined` if neither is exact. */
const decimals = (left: unknown, right: unknown): readonly [Decimal.Decimal, Decimal.Decimal] | undefined => {
  if (!(Decimal.is(left) || Decimal.is(right))) return undefined
  const a = Decimal.from(left)
  const b = Decimal.from(right)
  return a === undefined || b === undefined ? undefined : [a, b]
}

type ListLike = Iterable<unknown> & { readonly length: number }

const isListLike = (value: unknown): value is ListLike => Array.isArray(value) || isList(value)

/** The result of an operation on two numbers. Each of the three has to be exact if it is whole. */
const number = (left: number, right: number, value: number, start: number): unknown => {
  known(left, start)
  known(right, start)
  return known(finite(value, start), start)
}

/** Adds numbers or decimals; joins strings or lists. */
const add = (left: unknown, right: unknown, frame: Frame, start: number): unknown => {
  if (typeof left === "number" && typeof right === "number") return number(left, right, left + right, start)
  if (typeof left === "string" && typeof right === "string") {
    frame.spend((left.length + right.length) >> 5, start)
    return left + right
  }
  const exact = decimals(left, right)
  if (exact !== undefined) return Decimal.add(exact[0], exact[1])
  if (isListLike(left) && isListLike(right)) {
    const joined = [...left, ...right]
    frame.spend(joined.length, start)
    return joined
  }
  return noMeaning("+", left, right, start)
}

/** Subtracts numbers and decimals. */
const subtract = (left: unknown, right: unknown, _frame: Frame, start: number): unknown => {
  if (typeof left === "number" && typeof right === "number") return number(left, right, left - right, start)
  const exact = decimals(left, right)
  return exact === undefined ? noMeaning("-", left, right, start) : Decimal.subtract(exact[0], exact[1])
}

/** Multiplies numbers and decimals. */
const multiply = (left: unknown, right: unknown, frame: Frame, start: number): unknown => {
  if (typeof left === "number" && typeof right === "number") return number(left, right, left * right, start)
  const exact = decimals(left, right)
  if (exact === undefined) return noMeaning("*", left, right, start)
  const product = Decimal.multiply(exact[0], exact[1])
  frame.spend(product.scale, start)
  return product
}

/** Divides numbers. A decimal has no exact quotient, so it has to be converted first. */
const divide = (left: unknown, right: unknown, _frame: Frame, start: number): unknown => {
  if (typeof left === "number" && typeof right === "number") {
    return right === 0 ? raise("division by zero", start) : number(left, right, left / right, start)
  }
  if (decimals(left, right) !== undefined) return raise("a decimal has no exact quotient; write double(...)", start)
  return noMeaning("/", left, right, start)
}

/** The remainder of whole numbers, with the sign of the dividend. */
const remainder = (left: unknown, right: unknown, _frame: Frame, start: number): unknown => {
  if (typeof left !== "number" || typeof right !== "number") return noMeaning("%", left, right, start)
  if (right === 0) return raise("remainder of a division by zero", start)
  if (!Number.isInteger(left) || !Number.isInteger(right)) return raise("% needs whole numbers", start)
  return number(left, right, left % right, start)
}

/** The operators between two values. */
export const operators = { "+": add, "-": subtract, "*": multiply, "/": divide, "%": remainder } as const

/** Changes the sign of a number or a decimal. */
export const negate = (value: unknown, start: number): unknown => {
  if (typeof value === "number") return value === 0 ? 0 : -value
  return Decimal.is(value) ? Decimal.negate(value) : raise(`- has no meaning before ${nameOf(value)}`, start)
}

const compareStrings = (left: string, right: string): number => {
  if (left === right) return 0
  const limit = Math.min(left.length, right.length)
  for (let index = 0; index < limit; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    // Surrogates stand for code points above all of the basic plane.
    if (a !== b) return codePointRank(a) - codePointRank(b)
  }
  return left.length - right.length
}

const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/** Orders two values of one kind: negative, zero or positive. */
export const compare = (left: unknown, right: unknown, frame: Frame, start: number): number => {
  if (typeof left === "number" && typeof right === "number") return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === "string" && typeof right === "string") {
    frame.spend(Math.min(left.length, right.length) >> 5, start)
    return compareStrings(left, right)
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right)
  const exact = decimals(left, right)
  return exact === undefined ? noMeaning("an order", left, right, start) : Decimal.compare(exact[0], exact[1])
}

/** Tells whether two values have equal content. */
export const equal = (left: unknown, right: unknown, frame: Frame, start: number): boolean => {
  if (left === right) return true
  if (typeof left !== "object" && typeof right !== "object") return false
  if (left === null || right === null) return false
  const exact = decimals(left, right)
  if (exact !== undefined) return Decimal.compare(exact[0], exact[1]) === 0
  // The facts derived by a contract do not count for the equality of sealed values.
  if (SealedValue.isSealedValue(left) && SealedValue.isSealedValue(right)) return left.$sealed === right.$sealed
  if (isTable(left) && isTable(right)) return left.size === right.size && left.digest() === right.digest()
  if (isListLike(left) && isListLike(right)) return equalLists(left, right, frame, start)
  if (isRecord(left) && isRecord(right)) return equalRecords(left, right, frame, start)
  return false
}

const equalLists = (left: ListLike, right: ListLike, frame: Frame, start: number): boolean => {
  if (left.length !== right.length) return false
  const others = right[Symbol.iterator]()
  for (const item of left) {
    frame.spend(1, start)
    if (!equal(item, others.next().value, frame, start)) return false
  }
  return true
}

const equalRecords = (
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  frame: Frame,
  start: number
): boolean => {
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    frame.spend(1, start)
    if (!Object.hasOwn(right, key) || !equal(left[key], right[key], frame, start)) return false
  }
  return true
}

/** Tells whether a list holds a value, or a table or object has a key. */
export const contains = (item: unknown, container: unknown, frame: Frame, start: number): boolean => {
  if (isListLike(container)) {
    for (const candidate of container) {
      frame.spend(1, start)
      if (equal(item, candidate, frame, start)) return true
    }
    return false
  }
  if (isTable(container)) return typeof item === "string" && container.has(item)
  if (isRecord(container)) return typeof item === "string" && Object.hasOwn(container, item)
  return raise(`in needs a list, a table or an object, and found ${nameOf(container)}`, start)
}

/** Reads the value under a key or an index; `undefined` if there is none. */
export const lookup = (container: unknown, key: unknown, start: number): unknown => {
  if (isTable(container)) return typeof key === "string" ? container.get(key) : undefined
  if (Array.isArray(container)) return typeof key === "number" ? container[key] : undefined
  if (isList(container))
    return typeof key === "number" && Number.isInteger(key) && key >= 0 ? container.get(key) : undefined
  if (isRecord(container)) {
    return typeof key === "string" && Object.hasOwn(container, key) ? container[key] : undefined
  }
  return raise(`there is no field in ${nameOf(container)}`, start)
}

/** Lists the items of a list, or the keys of a table or object, for a comprehension to run over. */
export const range = (container: unknown, start: number): Iterable<unknown> => {
  if (isListLike(container)) return container
  if (isTable(container)) return container.keys()
  if (isRecord(container)) return Object.keys(container).sort()
  return raise(`a comprehension needs a list, a table or an object, and found ${nameOf(container)}`, start)
}

/** Counts the items of a list, the keys of a table or object, the code points of a string. */
export const size = (value: unknown, frame: Frame, start: number): number => {
  if (typeof value === "string") {
    frame.spend(value.length >> 5, start)
    let count = 0
    for (const _ of value) count++
    return count
  }
  if (isListLike(value)) return value.length
  if (isTable(value)) return value.size
  if (isRecord(value)) return Object.keys(value).length
  return raise(`size has no meaning for ${nameOf(value)}`, start)
}

/** Converts a result to JSON: decimals to their text, tables and lists to plain values. */
export const toJson = (value: unknown, start: number): Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : raise("the result is not a finite number", start)
    case "object":
      if (value === null) return null
      if (Decimal.is(value)) return Decimal.format(value)
      if (isTable(value) || isList(value)) return value.toJson() as Json
      if (Array.isArray(value)) return needsNoChange(value) ? value : value.map((item) => toJson(item, start))
      if (needsNoChange(value)) return value as Json
      if (isRecord(value)) {
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, start)]))
      }
  }
  return raise(`the result is ${nameOf(value)}, which JSON cannot carry`, start)
}

const needsNoChange = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value !== "number" || Number.isFinite(value)
  if (Array.isArray(value)) return value.every(needsNoChange)
  return isRecord(value) && Object.values(value).every(needsNoChange)
}
