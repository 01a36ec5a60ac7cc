/**
 * Converts values of user code into values that a trace can carry.
 *
 * JavaScript has values that JSON cannot carry. A value that JSON would make another one throws: `NaN`, an infinity,
 * an invalid `Date`, and an object of which it would keep nothing, such as a `Map` or the `Response` of `fetch`. A
 * value that is no data, such as a cycle, throws, too. Fields that are `undefined` are left out.
 *
 * The arguments of a call tell acts apart, so more of them throws:
 *
 * | | in arguments | elsewhere |
 * | --- | --- | --- |
 * | half of a surrogate pair | throws | becomes U+FFFD, as it does wherever text is sent |
 * | a function or a symbol in a field | throws | is left out |
 * | a function, a symbol or `undefined` in a list | throws | becomes `null` |
 */

import * as Finding from "@backstitch/kernel/Finding"
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Wording from "@backstitch/wording/Wording"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** Error for a value that a trace cannot carry. `said` is the message of an engine, or of a user's code. */
export class Unrecordable extends Schema.TaggedError<Unrecordable>("@backstitch/runtime/Unrecordable")("Unrecordable", {
  finding: FindingForm.AnyFinding,
  said: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.said ?? Wording.of(this.finding).what
  }
}

/** Converts a value to JSON. Throws {@link Unrecordable}. */
export const toTraceJson = (value: unknown): Json => copied(value, 0) ?? plain(carried(value, kindOf), 0)

/** Converts the arguments of a call to JSON. Throws {@link Unrecordable}, for parts that JSON would drop, too. */
export const toTraceArguments = (value: unknown): Json => copied(value, 0) ?? plain(carried(value, kindOfArgument), 0)

/** A part of a value: as it is given, as it is written, and its place. */
interface Part {
  readonly given: unknown
  readonly written: unknown
  readonly key: string
  readonly isItem: boolean
}

/** Names the kind of a part that JSON would change; `undefined` for other parts. */
type Kind = (part: Part) => string | undefined

const carried = (value: unknown, kind: Kind): Json => {
  try {
    return JsonText.carried(value, whole(kind)) as Json
  } catch (cause) {
    if (Branded.isError(cause, Unrecordable)) throw cause
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new Unrecordable({ finding: Finding.make("value.not_json", {}), said })
  }
}

/** Lets the parts of a value through, and throws for the first one that JSON would change, with its path. */
const whole = (kindOf: Kind) => {
  const paths = new Map<unknown, string>()
  return function (this: unknown, key: string, written: unknown): unknown {
    const isRoot = paths.size === 0
    const path = isRoot ? "" : pathOf(paths.get(this) ?? "", key, this)
    const given = (this as { readonly [key: string]: unknown })[key]
    const kind = kindOf({ given, written, key: isRoot ? "" : key, isItem: Array.isArray(this) })
    if (kind !== undefined) {
      const place = path === "" ? {} : { path: shown(path) }
      throw new Unrecordable({ finding: Finding.make("value.not_json", { kind, ...place }) })
    }
    if (isRoot || (typeof written === "object" && written !== null)) paths.set(written, path)
    return written
  }
}

const pathOf = (parent: string, key: string, holder: unknown): string => {
  if (Array.isArray(holder)) return `${parent}[${key}]`
  return parent === "" ? key : `${parent}.${key}`
}

const shown = (path: string): string =>
  (path.length > pathCharactersMax ? `${path.slice(0, pathCharactersMax)}…` : path).toWellFormed()

const kindOf: Kind = ({ given, written }) => unwrittenKind(given, written) ?? hollowKind(written)

const kindOfArgument: Kind = (part) =>
  kindOf(part) ??
  droppedKind(part) ??
  (part.key.isWellFormed() && isWhole(part.written) ? undefined : "half of a surrogate pair")

/** The kind of a part that JSON leaves out of an object, or writes as `null` in a list. A field may be `undefined`. */
const droppedKind = ({ isItem, written }: Part): string | undefined => {
  if (typeof written === "function" || typeof written === "symbol") return typeof written
  return isItem && written === undefined ? "undefined" : undefined
}

const isWhole = (written: unknown): boolean =>
  typeof written === "string" || written instanceof String ? String(written).isWellFormed() : true

/** The kind of a value that JSON writes as `null`, and that is none; `undefined` for other values. */
const unwrittenKind = (given: unknown, written: unknown): string | undefined => {
  if (written === null) return given instanceof Date ? "invalid Date" : undefined
  const isNumber = typeof written === "number" || written instanceof Number
  return isNumber && !Number.isFinite(Number(written)) ? String(written) : undefined
}

/** The kind of an object without fields that is more than an object without fields; `undefined` for other values. */
const hollowKind = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  if (ArrayBuffer.isView(value) || Object.keys(value).length > 0) return undefined
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1)
  return unwrapped.has(kind) ? undefined : kind
}

/** Kinds of objects without fields that are data, or that JSON writes as the value within them. */
const unwrapped: ReadonlySet<string> = new Set(["Arguments", "BigInt", "Boolean", "Number", "Object", "String"])

/** Copies a value that is JSON already, as most are; `undefined` if a part of it has to be converted. */
const copied = (value: unknown, depth: number): Json | undefined => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : undefined
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : undefined
    case "boolean":
      return value
    case "object":
      if (value === null) return null
      if (depth >= recordedLevelsMax || "toJSON" in value) return undefined
      return Array.isArray(value) ? copiedArray(value, depth) : copiedObject(value, depth)
    default:
      return undefined
  }
}

const copiedArray = (value: ReadonlyArray<unknown>, depth: number): Json | undefined => {
  const copy: Array<Json> = []
  for (let index = 0; index < value.length; index++) {
    const item = copied(value[index], depth + 1)
    if (item === undefined) return undefined
    copy.push(item)
  }
  return copy
}

const copiedObject = (value: object, depth: number): Json | undefined => {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copy: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const field = (value as { readonly [name: string]: unknown })[name]
    if (field === undefined) continue
    const item = copied(field, depth + 1)
    if (item === undefined || name === "__proto__" || !name.isWellFormed()) return undefined
    copy[name] = item
  }
  return copy
}

const { reasonCharactersMax: pathCharactersMax, recordedLevelsMax } = Limits.refusing

const plain = (value: Json, depth: number): Json => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth >= recordedLevelsMax)
    throw new Unrecordable({ finding: Finding.make("value.too_deep", { levelsMax: recordedLevelsMax }) })
  if (Array.isArray(value)) return value.map((item: Json) => plain(item, depth + 1))
  // `__proto__` is an ordinary field of the copy. An assignment would lose it.
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), plain(field as Json, depth + 1)])
  )
}
