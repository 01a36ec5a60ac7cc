/**
 * One sequence of bytes for each JSON value (RFC 8785, JSON Canonicalization Scheme).
 *
 * Digests, signatures and comparisons need equal values to be equal bytes on every platform (L2). Object keys are
 * ordered by UTF-16 code units, numbers are written as ECMAScript writes them, and strings as `JSON.stringify` does.
 * Values that JSON cannot carry (`NaN`, infinities, `undefined`, functions, lone surrogates, cycles) are refused,
 * never dropped. So is a value with more levels than `Limits.deciding.levelsMax`, before it can overflow a stack.
 *
 * @source RFC 8785
 */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import * as Branded from "./Branded.ts"
import * as JsonText from "./JsonText.ts"

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** An object of JSON values. An absent key and `undefined` mean the same: the key is not written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Tells objects from the other values of JSON. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Answers the value if it is an object, otherwise an empty object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

const { levelsMax } = Limits.deciding

/** Error for a value that has no canonical form. */
export class NotCanonical extends Schema.TaggedError<NotCanonical>("@backstitch/trace/NotCanonical")("NotCanonical", {
  path: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `The value at ${this.path} is ${this.found}, which a trace cannot carry. Convert it before it is committed`
  }
}

/**
 * Writes a value in canonical form.
 *
 * **Details**
 *
 * Values whose keys are already in order, as in this code, cost little more than `JSON.stringify`: order and content
 * are checked first, and only other values are rewritten. Throws {@link NotCanonical}.
 *
 * **Example** (Ordering keys)
 *
 * ```ts import.meta.vitest
 * import { Canonical } from "@backstitch/trace"
 *
 * Canonical.encode({ b: 1e21, a: [true, null] }) // => '{"a":[true,null],"b":1e+21}'
 * ```
 */
export const encode = (value: Json): string => (isOrdered(value, 0) ? JSON.stringify(value) : write(value, []))

/**
 * Reads JSON text. Throws {@link NotCanonical} for text with more levels than `Limits.deciding.levelsMax`, before it
 * is parsed, and `SyntaxError` for text that is no JSON.
 */
export const parse = (text: string): Json => {
  if (isDeep(text)) throw refusal([], deep)
  return JsonText.read(text) as Json
}

/** Counts the levels and the values of JSON text before it is parsed. For other text, the counts are upper bounds. */
export const extent = (text: string): { readonly levels: number; readonly values: number } => {
  let [depth, levels, values] = [0, 0, 1]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === quote) index = endOfString(text, index)
    else if (unit === comma || unit === lineEnd) values++
    else if (unit === openBracket || unit === openBrace) {
      values++
      if (++depth > levels) levels = depth
    } else if (unit === closeBracket || unit === closeBrace) depth--
  }
  return { levels, values }
}

/**
 * The value in the form in which it is read back from its canonical text: with keys in the order of {@link encode},
 * without fields that are `undefined`, and with 0 for negative zero. A value in this form is returned unchanged, and
 * so are its parts in this form.
 *
 * **When to use** on all values that code may enumerate, before they are committed: a fold then sees them as in a
 * fold of the stored text. Throws {@link NotCanonical}.
 *
 * **Example** (Enumerating what will be stored)
 *
 * ```ts import.meta.vitest
 * import { Canonical } from "@backstitch/trace"
 *
 * Object.keys(Canonical.settled({ b: 1, a: 2 })) // => ["a", "b"]
 * ```
 */
export const settled = <A extends Json>(value: A): A => ordered(value, []) as A

/** Tells whether text is the canonical form of its value. */
export const isCanonical = (text: string): boolean => Result.isSuccess(decode(text))

/**
 * Reads text in canonical form, or fails with the reason: what the text is, or its first difference from that form.
 *
 * **When to use** on each text and line from outside in a format of Backstitch. The canonical form has no white
 * space, no repeated key, no ill-formed string and one spelling of each number, so none of these needs a separate
 * check.
 */
export const decode = (text: string): Result.Result<Json, string> => {
  try {
    const value = parse(text)
    const written = encode(value)
    return written === text ? Result.succeed(value) : Result.fail(difference(text, written))
  } catch (error) {
    if (error instanceof SyntaxError) return Result.fail(notJson(text))
    if (Branded.isError(error, NotCanonical)) return Result.fail(`the value at ${error.path} is ${error.found}`)
    throw error
  }
}

const notJson = (text: string): string =>
  text === "" ? "it is empty" : text.startsWith("\ufeff") ? "it begins with a byte order mark" : "it is not JSON"

/** Names the first place where text differs from the canonical form of its value. */
const difference = (text: string, written: string): string => {
  let at = 0
  while (at < written.length && text[at] === written[at]) at++
  const shown = (from: string): string => (at < from.length ? JSON.stringify(from.slice(at, at + 24)) : "its end")
  return `it has ${shown(text)} at character ${at + 1}, where the canonical form (RFC 8785) has ${shown(written)}`
}

/**
 * Tells whether two values have the same canonical form, without writing it.
 *
 * **Details**
 *
 * Parts that are the same object are skipped, so values that share most of their parts are compared quickly. Both
 * values have to be JSON: only `encode` refuses others.
 */
export const equals = (left: Json, right: Json): boolean => left === right || isSame(left, right, 0)

/** Every level needs a bracket on each side, so short text cannot be too deep. */
const isDeep = (text: string): boolean => text.length > 2 * levelsMax && extent(text).levels > levelsMax

const quote = 0x22
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c
const lineEnd = 0x0a

/** The position of the quote that ends a string; the end of the text if none does. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let from = at
  while (text[from - 1] === "\\") from--
  return (at - from) % 2 === 1
}

/** Tells whether a value is as it will be read back, so that `JSON.stringify` writes its canonical form. */
const isOrdered = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed()
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
    case "boolean":
      return true
    case "object": {
      if (value === null) return true
      if (depth >= levelsMax) return false
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index++) if (!isOrdered(value[index], depth + 1)) return false
        return true
      }
      if (!isPlain(value)) return false
      let previous: string | undefined
      for (const key in value) {
        if (previous !== undefined && key <= previous) return false
        if (!key.isWellFormed()) return false
        const field = (value as Record<string, unknown>)[key]
        if (field === undefined || !isOrdered(field, depth + 1)) return false
        previous = key
      }
      return true
    }
    default:
      return false
  }
}

const isSame = (left: unknown, right: unknown, depth: number): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (depth >= levelsMax) throw tooDeep([])
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) if (!isSame(left[index], right[index], depth + 1)) return false
    return true
  }
  if (Array.isArray(right) || !isPlain(left) || !isPlain(right)) return false
  return areFieldsSame(left as Record<string, unknown>, right as Record<string, unknown>, depth + 1)
}

const areFieldsSame = (left: Record<string, unknown>, right: Record<string, unknown>, depth: number): boolean => {
  let fields = 0
  for (const key in left) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !isSame(left[key], right[key], depth)) return false
    fields++
  }
  for (const key in right) if (right[key] !== undefined) fields--
  return fields === 0
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// The path grows and shrinks during the descent. Writing it as text at each step would cost more than the value.
type Path = Array<string | number>

const refusal = (path: Path, found: string): NotCanonical =>
  new NotCanonical({
    path: path.reduce<string>((parent, key) => parent + (typeof key === "number" ? `[${key}]` : `.${key}`), "$"),
    found
  })

/** The path is shortened: it is as long as the limit, and its beginning shows the place. */
const tooDeep = (path: Path): NotCanonical => refusal(path.slice(0, 5), `${deep}, or part of itself`)

const deep = `nested more than ${levelsMax} levels deep`

/** Refuses a value that JSON cannot represent, without reading its parts. */
const requireJson = (value: unknown, path: Path): void => {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw refusal(path, "a string with a lone surrogate")
      return
    case "number":
      if (!Number.isFinite(value)) throw refusal(path, String(value))
      return
    case "boolean":
      return
    case "object":
      if (value === null) return
      if (path.length >= levelsMax) throw tooDeep(path)
      if (!Array.isArray(value) && !isPlain(value)) throw refusal(path, `an instance of ${value.constructor?.name}`)
      return
    default:
      throw refusal(path, typeof value)
  }
}

const requireKey = (key: string, path: Path): void => {
  if (!key.isWellFormed()) throw refusal(path, "an object with a lone surrogate in a key")
}

/** The value with its keys in order. Parts that are already in order are shared with it. */
const ordered = (value: unknown, path: Path): unknown => {
  requireJson(value, path)
  if (typeof value === "number") return value + 0
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value) ? orderedArray(value, path) : orderedObject(value as Record<string, unknown>, path)
}

const orderedArray = (value: ReadonlyArray<unknown>, path: Path): ReadonlyArray<unknown> => {
  let items: Array<unknown> | undefined
  for (let index = 0; index < value.length; index++) {
    path.push(index)
    const item = ordered(value[index], path)
    path.pop()
    if (items === undefined && Object.is(item, value[index])) continue
    items ??= value.slice(0, index)
    items.push(item)
  }
  return items ?? value
}

const orderedObject = (value: Record<string, unknown>, path: Path): Record<string, unknown> => {
  const keys = Object.keys(value)
  let fields: Record<string, unknown> | undefined = areOrdered(keys) ? undefined : {}
  if (fields !== undefined) keys.sort()
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!
    const field = value[key]
    const next = field === undefined ? undefined : orderedField(key, field, path)
    if (fields === undefined && next !== undefined && Object.is(next, field)) continue
    fields ??= picked(value, keys, index)
    if (next !== undefined) JsonText.setField(fields, key, next)
  }
  return fields ?? value
}

const orderedField = (key: string, field: unknown, path: Path): unknown => {
  requireKey(key, path)
  path.push(key)
  const next = ordered(field, path)
  path.pop()
  return next
}

/** A copy of the given number of first fields. */
const picked = (
  value: Record<string, unknown>,
  keys: ReadonlyArray<string>,
  count: number
): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (let index = 0; index < count; index++) JsonText.setField(fields, keys[index]!, value[keys[index]!])
  return fields
}

const areOrdered = (keys: ReadonlyArray<string>): boolean => {
  for (let index = 1; index < keys.length; index++) if (keys[index]! <= keys[index - 1]!) return false
  return true
}

const write = (value: unknown, path: Path): string => {
  requireJson(value, path)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? writeArray(value, path) : writeObject(value as Record<string, unknown>, path)
}

const writeArray = (value: ReadonlyArray<unknown>, path: Path): string => {
  let text = ""
  for (let index = 0; index < value.length; index++) {
    path.push(index)
    text += (index === 0 ? "" : ",") + write(value[index], path)
    path.pop()
  }
  return `[${text}]`
}

const writeObject = (value: Record<string, unknown>, path: Path): string => {
  let text = ""
  for (const key of Object.keys(value).sort()) {
    const field = value[key]
    if (field === undefined) continue
    requireKey(key, path)
    path.push(key)
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${write(field, path)}`
    path.pop()
  }
  return `{${text}}`
}
