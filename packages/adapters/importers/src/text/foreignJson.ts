/** Reads values from outside, of unknown form. */

import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A JSON object with unchecked fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Tells whether a value is an object and no list. */
export const isObject = (value: unknown): value is Fields => Canonical.isObject(value)

/** The fields of an object; none of any other value. */
export const fields = (value: unknown): Fields => (isObject(value) ? value : {})

/** The items of a list; none of any other value. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A text; `undefined` for any other value. */
export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/**
 * A model's output may end inside a character. Half of a surrogate pair has no bytes, so U+FFFD is committed in its
 * place.
 */
const loneSurrogate = /\\ud[89a-f]/i

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

/** Reads JSON; fails with the reason if the text is none. */
export const json = (source: string): Result.Result<unknown, string> => {
  try {
    const value: unknown = Canonical.parse(source)
    return Result.succeed(loneSurrogate.test(source) ? JsonText.revived(value, wellFormed) : value)
  } catch (cause) {
    if (Branded.isError(cause, Canonical.NotCanonical)) return Result.fail(`it is ${cause.found}`)
    return Result.fail(`it is not JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}

/** Reads JSON lines. A line that is no JSON is named by its number. */
export const jsonLines = (source: string): Result.Result<ReadonlyArray<unknown>, string> => {
  const values: Array<unknown> = []
  for (const [index, line] of source.split("\n").entries()) {
    if (line.trim() === "") continue
    const value = json(line)
    if (Result.isFailure(value)) return Result.fail(`line ${index + 1}: ${value.failure}`)
    values.push(value.success)
  }
  return Result.succeed(values)
}

/**
 * Reads a file that is one document, has one on each line, or has indented ones one after another. Fails with the line
 * or the number of a document that is no JSON.
 */
export const documents = (source: string): Result.Result<ReadonlyArray<unknown>, string> => {
  const whole = json(source)
  if (Result.isSuccess(whole)) return Result.succeed([whole.success])
  const indented = source.split(/(?<=^\}\r?)\n+(?=\{)/m)
  if (indented.length === 1) return jsonLines(source)
  const values: Array<unknown> = []
  for (const [index, each] of indented.entries()) {
    const value = json(each)
    if (Result.isFailure(value)) return Result.fail(`document ${index + 1}: ${value.failure}`)
    values.push(value.success)
  }
  return Result.succeed(values)
}

/** Tells whether a recording flags an answer as failed, whatever its text says; `undefined` if it has no flag. */
export const flagged = (answer: Fields): boolean | undefined => {
  if (answer["status"] === "error" || answer["error"] === true) return true
  return [answer["is_error"], answer["isError"]].find((flag) => typeof flag === "boolean")
}

/** Arguments of a call: an object, or text that contains one, otherwise the text itself. */
export const args = (value: unknown): Schema.Json => {
  if (isObject(value)) return value as Schema.JsonObject
  if (typeof value !== "string") return value === undefined ? {} : (value as Schema.Json)
  if (value.trim() === "") return {}
  const read = json(value)
  return Result.isSuccess(read) && isObject(read.success) ? (read.success as Schema.JsonObject) : value
}

/** Reads content: text, nothing, or a list of parts whose texts count. `undefined` for any other value. */
export const content = (value: unknown): string | null | undefined => {
  if (value === undefined || value === null) return null
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return undefined
  return value.map((part) => text(fields(part)["text"]) ?? "").join("")
}

/** Reads a tool's answer as text, or writes it as JSON if it is no text. */
export const output = (value: unknown): string | null => {
  const read = content(value)
  if (read === undefined || (Array.isArray(value) && read === "" && value.length > 0)) return JSON.stringify(value)
  return read
}

/** Milliseconds since 1970 for a time in ISO 8601, or a number of milliseconds. */
export const time = (value: unknown): number | undefined => {
  const millis = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isFinite(millis) ? Math.round(millis) : undefined
}
