/**
 * The functions and methods of the expression profile: a closed list.
 *
 * Left out on purpose: `matches` (a regular expression may run for ever), time and time zones, random numbers, and
 * other functions whose answer differs between platforms. Strings are counted and cut by code points, and only ASCII
 * letters change case, because Unicode tables differ between platforms.
 */
import * as Decimal from "../values/Decimal.ts"
import * as WhiteSpace from "../values/WhiteSpace.ts"
import { exact, type Frame, known, nameOf, raise, size } from "./operators.ts"

/** The type that a function answers, as far as it is known before the expression runs. */
export type ResultType = "int" | "number" | "string" | "bool" | "list" | "any"

/** One function: its number of arguments (including the receiver), its type, and its code. */
export interface CelFunction {
  readonly arity: ReadonlyArray<number>
  readonly answer: ResultType
  readonly run: (args: ReadonlyArray<unknown>, frame: Frame, start: number) => unknown
}

const text = (value: unknown, name: string, start: number): string =>
  typeof value === "string" ? value : raise(`${name} needs a string, and found ${nameOf(value)}`, start)

const toInt = (value: unknown, start: number): unknown => {
  if (typeof value === "number") return exact(Math.trunc(value), start)
  if (typeof value === "string" && /^-?\d{1,16}$/.test(value)) return exact(Number(value), start)
  if (Decimal.is(value)) return exact(Math.trunc(Decimal.toNumber(value)), start)
  return raise(`int has no meaning for ${nameOf(value)}`, start)
}

const toDouble = (value: unknown, start: number): unknown => {
  if (typeof value === "number") return value
  if (Decimal.is(value)) return known(Decimal.toNumber(value), start)
  if (typeof value === "string" && /^-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/.test(value)) {
    const parsed = Number(value)
    if (Number.isFinite(parsed)) return known(parsed, start)
  }
  return raise(`double has no meaning for ${nameOf(value)}`, start)
}

const toText = (value: unknown, start: number): string => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return Decimal.is(value) ? Decimal.format(value) : raise(`string has no meaning for ${nameOf(value)}`, start)
}

const toBool = (value: unknown, start: number): boolean => {
  if (value === true || value === "true") return true
  if (value === false || value === "false") return false
  return raise(`bool has no meaning for ${nameOf(value)}`, start)
}

/** Functions that are called by name: `size(x)`. */
export const functions: Readonly<Record<string, CelFunction>> = {
  size: { arity: [1], answer: "int", run: ([value], frame, start) => size(value, frame, start) },
  int: { arity: [1], answer: "int", run: ([value], _, start) => toInt(value, start) },
  double: { arity: [1], answer: "number", run: ([value], _, start) => toDouble(value, start) },
  string: { arity: [1], answer: "string", run: ([value], _, start) => toText(value, start) },
  bool: { arity: [1], answer: "bool", run: ([value], _, start) => toBool(value, start) },
  dyn: { arity: [1], answer: "any", run: ([value]) => value }
}

const lower = (value: string) => value.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
const upper = (value: string) => value.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32))

/** A method on a string whose work grows with the string. */
const onText =
  (name: string, run: (value: string, rest: ReadonlyArray<unknown>, start: number, frame: Frame) => unknown) =>
  ([receiver, ...rest]: ReadonlyArray<unknown>, frame: Frame, start: number): unknown => {
    const value = text(receiver, name, start)
    frame.spend(value.length >> 4, start)
    return run(value, rest, start, frame)
  }

const offset = (value: unknown, limit: number, name: string, start: number): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= limit
    ? value
    : raise(`${name} needs a position from 0 to ${limit}, and found ${nameOf(value)}`, start)

/** A UTF-16 position as a position in code points. */
const inCodePoints = (value: string, position: number): number =>
  position < 0 ? -1 : [...value.slice(0, position)].length

const substring = (value: string, rest: ReadonlyArray<unknown>, start: number): string => {
  const points = [...value]
  const from = offset(rest[0], points.length, "substring", start)
  const to = rest.length === 1 ? points.length : offset(rest[1], points.length, "substring", start)
  return from <= to ? points.slice(from, to).join("") : raise("substring ends before it begins", start)
}

const split = (value: string, rest: ReadonlyArray<unknown>, start: number, frame: Frame): ReadonlyArray<string> => {
  const separator = text(rest[0], "split", start)
  const parts = separator === "" ? [...value] : value.split(separator)
  frame.spend(parts.length, start)
  if (rest.length === 1) return parts
  const limit = rest[1]
  if (typeof limit !== "number" || !Number.isInteger(limit))
    return raise("split needs a whole number as its limit", start)
  if (limit === 0) return []
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

const join = ([list, separator = ""]: ReadonlyArray<unknown>, frame: Frame, start: number): string => {
  const parts: Array<string> = []
  if (typeof list !== "object" || list === null || !(Symbol.iterator in list)) {
    return raise(`join needs a list, and found ${nameOf(list)}`, start)
  }
  for (const item of list as Iterable<unknown>) {
    const part = text(item, "join", start)
    frame.spend(1 + (part.length >> 5), start)
    parts.push(part)
  }
  return parts.join(text(separator, "join", start))
}

/** Functions that are called on a value: `name.startsWith("A")`. The receiver is the first argument. */
export const methods: Readonly<Record<string, CelFunction>> = {
  size: { arity: [1], answer: "int", run: ([value], frame, start) => size(value, frame, start) },
  startsWith: {
    arity: [2],
    answer: "bool",
    run: onText("startsWith", (value, [other], start) => value.startsWith(text(other, "startsWith", start)))
  },
  endsWith: {
    arity: [2],
    answer: "bool",
    run: onText("endsWith", (value, [other], start) => value.endsWith(text(other, "endsWith", start)))
  },
  contains: {
    arity: [2],
    answer: "bool",
    run: onText("contains", (value, [other], start) => value.includes(text(other, "contains", start)))
  },
  lowerAscii: { arity: [1], answer: "string", run: onText("lowerAscii", lower) },
  upperAscii: { arity: [1], answer: "string", run: onText("upperAscii", upper) },
  trim: { arity: [1], answer: "string", run: onText("trim", (value) => WhiteSpace.trim(value)) },
  indexOf: {
    arity: [2],
    answer: "int",
    run: onText("indexOf", (value, [other], start) => inCodePoints(value, value.indexOf(text(other, "indexOf", start))))
  },
  lastIndexOf: {
    arity: [2],
    answer: "int",
    run: onText("lastIndexOf", (value, [other], start) =>
      inCodePoints(value, value.lastIndexOf(text(other, "lastIndexOf", start)))
    )
  },
  substring: { arity: [2, 3], answer: "string", run: onText("substring", substring) },
  split: { arity: [2, 3], answer: "list", run: onText("split", split) },
  join: { arity: [1, 2], answer: "string", run: join }
}

/** The reasons why functions of CEL are not in the profile. */
export const refused: Readonly<Record<string, string>> = {
  matches: "a regular expression may run for ever; use startsWith, endsWith, contains or ==",
  timestamp: "time is not part of a decision; compare ISO 8601 text, or commit a derived fact",
  duration: "time is not part of a decision; use numbers",
  uint: "there is one number type, as in JSON; use int",
  bytes: "values are JSON",
  type: "types are declared in the pack; use has() or a field that says so",
  bind: "an expression names its inputs; write the value out"
}

/** Tells whether a function of CEL reads a clock or a calendar. */
export const isCalendar = (name: string): boolean => /^get[A-Z]/.test(name)
