/**
 * The spans of a file: the attributes of one span, spans or a list of them, or an OTLP document (`resourceSpans`).
 *
 * Exporters spell the fields of a span differently. OTLP, the SDK of JavaScript and that of Python (`to_json`, which
 * the console exporter prints) are read. Of the events of a span only an exception is read: the words of a failure.
 */
import * as Result from "effect/Result"
import { documents, type Fields, fields, isObject, json, list, text, time } from "../text/foreignJson.ts"

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

/**
 * Reads the spans of a file of one document or several. A repeated span counts once. A span whose trace is not known is
 * refused by its name, since it would be told as part of another conversation.
 */
export const read = (source: string): Result.Result<ReadonlyArray<Span>, string> =>
  Result.flatMap(documents(source), (values) => {
    const written = values.flatMap(writtenIn)
    const stray = written.findIndex((each) => each["attributes"] !== undefined && traceOf(each) === undefined)
    if (stray >= 0) {
      const name = JSON.stringify(text(written[stray]!["name"]) ?? "")
      return Result.fail(`span ${stray} (${name}) has no traceId, trace_id or context.trace_id`)
    }
    const seen = new Set<string>()
    const spans = written.map(spanOf).filter(({ id, trace }) => {
      const name = `${trace} ${id}`
      if (id === undefined) return true
      return seen.has(name) ? false : seen.add(name) !== undefined
    })
    return Result.succeed(spans)
  })

/** Parses one document; fails with the reason if the text is none. */
export const document = (source: string): Result.Result<unknown, string> => json(source)

/** Lists the spans of a document. */
export const of = (value: unknown): ReadonlyArray<Span> => writtenIn(value).map(spanOf)

/** Lists the spans of a document as their exporter wrote them. */
const writtenIn = (value: unknown): ReadonlyArray<Fields> => {
  if (Array.isArray(value)) return value.flatMap(writtenIn)
  const given = fields(value)
  const nested = given["resourceSpans"] ?? given["scopeSpans"] ?? given["spans"]
  return nested === undefined ? [given] : list(nested).flatMap(writtenIn)
}

const spanOf = (given: Fields): Span => {
  const { attributes } = given
  const known = Array.isArray(attributes) ? keyed(attributes) : isObject(attributes) ? attributes : given
  const failed = hasFailed(given, known)
  return {
    trace: traceOf(given) ?? "",
    id: idIn(given, ["spanId", "span_id"]),
    at: beginOf(given),
    failed,
    failure: failed ? failureOf(given, known) : undefined,
    attributes: known
  }
}

const traceOf = (given: Fields): string | undefined => idIn(given, ["traceId", "trace_id"])

/** Python keeps the ids of a span in its context, and marks them as hexadecimal. */
const idIn = (given: Fields, names: ReadonlyArray<string>): string | undefined => {
  const ids = [given, fields(given["context"])].flatMap((holder) => names.map((name) => text(holder[name])))
  return ids.find((id) => id !== undefined && id !== "")?.replace(/^0x/, "")
}

/**
 * Tells whether a span failed: by its status, as a number or as a word with or without a prefix, or, where no status
 * was set, by the type of its error. That attribute is absent from spans that succeeded.
 */
const hasFailed = (given: Fields, attributes: Fields): boolean => {
  const { status } = given
  const { code, status_code: named } = fields(status)
  const word = String(code ?? named ?? text(status) ?? given["status_code"] ?? "")
    .toUpperCase()
    .replace(/^STATUS_?CODE[._]/, "")
  if (word === "2" || word === "ERROR") return true
  return word !== "1" && word !== "OK" && (text(attributes["error.type"]) ?? "") !== ""
}

/** The beginning of a span in milliseconds, from nanoseconds, seconds with a fraction in nanoseconds, or ISO 8601. */
const beginOf = (given: Fields): number | undefined => {
  const begun = given["startTime"] ?? given["start_time"]
  if (typeof begun === "string") return time(begun)
  const [seconds, fraction] = list(begun)
  const nanos = given["startTimeUnixNano"] ?? Number(seconds) * 1e9 + Number(fraction)
  // A float has too few digits for nanoseconds since 1970.
  if (typeof nanos === "string" && /^\d{1,20}$/.test(nanos)) return Number(BigInt(nanos) / 1_000_000n)
  const millis = Math.floor(Number(nanos) / 1e6)
  return Number.isFinite(millis) ? millis : undefined
}

/** The words of a failure: those of the status, of the exception that was recorded, or the type of the error. */
const failureOf = (given: Fields, attributes: Fields): string | undefined => {
  const { description, message } = fields(given["status"])
  const events = list(given["events"]).map(fields)
  const exception = events.find(({ name }) => name === "exception")?.["attributes"]
  const thrown = Array.isArray(exception) ? keyed(exception) : fields(exception)
  const said = text(message) ?? text(description) ?? text(given["status_message"])
  const words = [said, text(thrown["exception.message"]), text(attributes["error.type"])]
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
