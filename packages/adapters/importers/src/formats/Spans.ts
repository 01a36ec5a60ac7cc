/**
 * The spans of a file: the attributes of one span, a list of them, or an OTLP document (`resourceSpans`).
 *
 * A span is read by its attributes. Of its events only an exception is read: the words of a failure.
 */
import * as Result from "effect/Result"
import { type Fields, fields, isObject, json, jsonLines, list, text } from "../text/foreignJson.ts"

/**
 * A span: its trace, its own id, its beginning in milliseconds, whether it failed and with which words, and its
 * attributes.
 */
export interface Span {
  readonly trace: string
  /** Absent in exports that keep attributes alone. */
  readonly id: string | undefined
  readonly at: number | undefined
  readonly failed: boolean
  readonly failure: string | undefined
  readonly attributes: Fields
}

/** Reads the spans of a file, which is one document, or has one on each line. A repeated span counts once. */
export const read = (source: string): Result.Result<ReadonlyArray<Span>, string> => {
  const whole = json(source)
  const values = Result.isSuccess(whole) ? Result.succeed([whole.success]) : jsonLines(source)
  return Result.map(values, (all) => {
    const seen = new Set<string>()
    return all.flatMap(of).filter(({ id, trace }) => {
      const name = `${trace} ${id}`
      if (id === undefined) return true
      return seen.has(name) ? false : seen.add(name) !== undefined
    })
  })
}

/** Parses one document; fails with the reason if the text is none. */
export const document = (source: string): Result.Result<unknown, string> => json(source)

/** Lists the spans of a document. */
export const of = (value: unknown): ReadonlyArray<Span> => {
  if (Array.isArray(value)) return value.flatMap(of)
  const given = fields(value)
  const nested = given["resourceSpans"] ?? given["scopeSpans"] ?? given["spans"]
  if (nested !== undefined) return list(nested).flatMap(of)
  const { attributes } = given
  const { code, message } = fields(given["status"])
  const failed = code === 2 || code === "STATUS_CODE_ERROR"
  const known = Array.isArray(attributes) ? keyed(attributes) : isObject(attributes) ? attributes : given
  return [
    {
      trace: text(given["traceId"]) ?? text(given["trace_id"]) ?? "",
      id: text(given["spanId"]) ?? text(given["span_id"]),
      at: beginOf(given),
      failed,
      failure: failed ? failureOf(text(message), known, list(given["events"]).map(fields)) : undefined,
      attributes: known
    }
  ]
}

/** The beginning of a span in milliseconds, from nanoseconds, or from seconds with a fraction in nanoseconds. */
const beginOf = (given: Fields): number | undefined => {
  const [seconds, fraction] = list(given["startTime"])
  const nanos = given["startTimeUnixNano"] ?? Number(seconds) * 1e9 + Number(fraction)
  // A float has too few digits for nanoseconds since 1970.
  if (typeof nanos === "string" && /^\d{1,20}$/.test(nanos)) return Number(BigInt(nanos) / 1_000_000n)
  const millis = Math.floor(Number(nanos) / 1e6)
  return Number.isFinite(millis) ? millis : undefined
}

/** The words of a failure: those of the status, of the exception that was recorded, or the type of the error. */
const failureOf = (message: string | undefined, attributes: Fields, events: ReadonlyArray<Fields>) => {
  const exception = events.find(({ name }) => name === "exception")?.["attributes"]
  const thrown = Array.isArray(exception) ? keyed(exception) : fields(exception)
  const words = [message, text(thrown["exception.message"]), text(attributes["error.type"])]
  return words.find((each) => each !== undefined && each !== "")
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
