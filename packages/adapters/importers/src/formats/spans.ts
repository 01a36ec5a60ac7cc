/** The spans of a file: the attributes of one span, a list of them, or an OTLP document (`resourceSpans`). */
import * as Result from "effect/Result"
import { type Fields, fields, isObject, json, jsonLines, list, text } from "../text/reading.ts"

/** A span: its trace, its beginning in milliseconds, whether it failed, and its attributes. */
export interface Span {
  readonly trace: string
  readonly at: number | undefined
  readonly failed: boolean
  readonly attributes: Fields
}

/** Reads the spans of a file, which is one document, or has one document a line. */
export const spans = (source: string): Result.Result<ReadonlyArray<Span>, string> => {
  const whole = json(source)
  const values = Result.isSuccess(whole) ? Result.succeed([whole.success]) : jsonLines(source)
  return Result.map(values, (all) => all.flatMap(spansOf))
}

const spansOf = (value: unknown): ReadonlyArray<Span> => {
  if (Array.isArray(value)) return value.flatMap(spansOf)
  const given = fields(value)
  const nested = given["resourceSpans"] ?? given["scopeSpans"] ?? given["spans"]
  if (nested !== undefined) return list(nested).flatMap(spansOf)
  const { attributes } = given
  const [seconds, fraction] = list(given["startTime"])
  const nanos = Number(given["startTimeUnixNano"] ?? Number(seconds) * 1e9 + Number(fraction))
  return [
    {
      trace: text(given["traceId"]) ?? text(given["trace_id"]) ?? "",
      at: Number.isFinite(nanos) ? Math.floor(nanos / 1e6) : undefined,
      failed: fields(given["status"])["code"] === 2,
      attributes: Array.isArray(attributes) ? keyed(attributes) : isObject(attributes) ? attributes : given
    }
  ]
}

/** OTLP writes attributes as a list of keys with typed values. */
const keyed = (attributes: ReadonlyArray<unknown>): Fields =>
  Object.fromEntries(attributes.map(fields).map(({ key, value }) => [String(key), plain(value)]))

const plain = (value: unknown): unknown => {
  const [typed] = Object.values(fields(value))
  if (!isObject(typed)) return typed
  if (Array.isArray(typed["values"]) && isObject(fields(value)["kvlistValue"])) return keyed(typed["values"])
  return list(typed["values"]).map(plain)
}
