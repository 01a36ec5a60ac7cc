/** Reads values that others wrote, of which nothing is promised. */

import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A JSON object of which no field is promised. */
export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields => Canonical.isObject(value)

export const fields = (value: unknown): Fields => (isObject(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A model may be cut off inside a character. Half of one has no bytes: U+FFFD is committed in its place. */
const loneSurrogate = /\\ud[89a-f]/i

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

/** Reads JSON, or says why the text is no JSON. */
export const json = (source: string): Result.Result<unknown, string> => {
  try {
    const value: unknown = Canonical.parse(source)
    return Result.succeed(loneSurrogate.test(source) ? JsonText.revived(value, wellFormed) : value)
  } catch (cause) {
    if (Branded.isError(cause, Canonical.NotCanonical)) return Result.fail(`it is ${cause.found}`)
    return Result.fail(`it is not JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}

/** Reads JSON lines; a line that is no JSON is named by its number. */
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

/** Arguments of a call: an object, or text that holds one, else the text itself. */
export const args = (value: unknown): Schema.Json => {
  if (isObject(value)) return value as Schema.JsonObject
  if (typeof value !== "string") return value === undefined ? {} : (value as Schema.Json)
  if (value.trim() === "") return {}
  const read = json(value)
  return Result.isSuccess(read) && isObject(read.success) ? (read.success as Schema.JsonObject) : value
}

/** Content is text, absent, or a list of parts of which the text counts. `undefined` means: none of these. */
export const content = (value: unknown): string | null | undefined => {
  if (value === undefined || value === null) return null
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return undefined
  return value.map((part) => text(fields(part)["text"]) ?? "").join("")
}

/** Reads a tool's answer as text; as JSON where it is none. */
export const output = (value: unknown): string | null => {
  const read = content(value)
  if (read === undefined || (Array.isArray(value) && read === "" && value.length > 0)) return JSON.stringify(value)
  return read
}

/** Milliseconds since 1970 of a time in ISO 8601, or of a number of milliseconds. */
export const time = (value: unknown): number | undefined => {
  const millis = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isFinite(millis) ? Math.round(millis) : undefined
}
