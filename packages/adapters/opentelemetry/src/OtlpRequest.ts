/**
 * Requests of the OpenTelemetry protocol over HTTP: the spans that a body holds, and the bodies of answers.
 *
 * Both forms of the protocol are read, JSON and protobuf, plain or gzip. The answer has the form of the request.
 *
 * @source OpenTelemetry, the protocol
 */
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Spans from "@backstitch/importers/Spans"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import * as OtlpProtobuf from "./OtlpProtobuf.ts"

/** The two forms of the protocol. */
export type Form = "json" | "protobuf"

/** A body as it came, with the headers that say how it is read. */
export interface Sent {
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  readonly body: Uint8Array
}

/** Error for a request that holds no spans that can be read. `status` is that of HTTP. */
export class OtlpRefused extends Schema.TaggedError<OtlpRefused>("@backstitch/opentelemetry/OtlpRefused")(
  "OtlpRefused",
  { status: Schema.Number, problem: Schema.String }
) {
  override get message(): string {
    return `The spans were refused: ${this.problem}`
  }
}

const refuse = (status: number, problem: string) => new OtlpRefused({ status, problem })

/** The form that a content type names. Other types are refused, so that no page of a browser can send spans. */
export const formOf = (contentType: string | undefined): Form | undefined => {
  const [type = ""] = (contentType ?? "").toLowerCase().split(";")
  if (type.trim() === "application/json") return "json"
  return /^application\/x-(?:google-)?protobuf$/.test(type.trim()) ? "protobuf" : undefined
}

/** Reads the spans of a request, within the limits of this package. */
export const decode = Effect.fn("OtlpRequest.decode")(function* ({ body, contentType, encoding = "identity" }: Sent) {
  const form = formOf(contentType)
  if (form === undefined) {
    return yield* refuse(415, "send them as application/json or application/x-protobuf, as OTLP over HTTP does")
  }
  if (encoding !== "identity" && encoding !== "gzip") {
    return yield* refuse(415, `send them plain or as gzip: ${encoding} is not read`)
  }
  const bytes = encoding === "gzip" ? yield* unpacked(body) : body
  const document = yield* Effect.fromResult(form === "json" ? fromJson(bytes) : fromProtobuf(bytes))
  const spans = Spans.of(document)
  if (spans.length > Limits.refusing.spansMax) {
    return yield* refuse(413, `send at most ${Limits.refusing.spansMax} in one request: these are ${spans.length}`)
  }
  return { form, spans }
})

const unpacked = (body: Uint8Array) =>
  Effect.tryPromise({
    try: (): Promise<Uint8Array> => gunzipped(body, { maxOutputLength: Limits.refusing.spansTextBytesMax }),
    catch: (cause) =>
      (cause as { readonly code?: string }).code === "ERR_BUFFER_TOO_LARGE"
        ? refuse(413, `the body unpacks to more than ${Limits.refusing.spansTextBytesMax} bytes`)
        : refuse(400, "the body is no gzip")
  })

const gunzipped = promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(gunzip)

const fromJson = (bytes: Uint8Array): Result.Result<unknown, OtlpRefused> => {
  const text = Buffer.from(bytes).toString("utf8")
  const { values } = Canonical.extent(text)
  if (values > Limits.refusing.spanValuesMax) {
    return Result.fail(refuse(413, `the body holds more than ${Limits.refusing.spanValuesMax} values`))
  }
  const read = Spans.document(text)
  if (Result.isFailure(read)) return Result.fail(refuse(400, `of the body, ${read.failure}`))
  if (Canonical.isObject(read.success)) return Result.succeed({ spans: [], ...read.success })
  return Result.fail(refuse(400, "the body is no object of OTLP, with resourceSpans"))
}

const fromProtobuf = (bytes: Uint8Array): Result.Result<unknown, OtlpRefused> => {
  try {
    return Result.succeed({ spans: [], ...OtlpProtobuf.read(bytes) })
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    return Result.fail(refuse(400, `the body is no request of OTLP: ${problem}`))
  }
}

/** The body of an answer to spans that were taken, and the number of those that were refused. */
export const accepted = (
  form: Form,
  { refused, why }: { readonly refused: number; readonly why?: string | undefined }
) => {
  if (refused === 0) return form === "json" ? Buffer.from("{}") : Buffer.alloc(0)
  const errorMessage = why ?? ""
  return form === "json"
    ? Buffer.from(JSON.stringify({ partialSuccess: { rejectedSpans: String(refused), errorMessage } }))
    : field(1, Buffer.concat([Buffer.from([0x08]), varint(refused), field(2, Buffer.from(errorMessage))]))
}

/** The body of an answer to a request that failed. */
export const failed = (form: Form, message: string): Buffer =>
  form === "json" ? Buffer.from(JSON.stringify({ message })) : field(2, Buffer.from(message))

const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes])

const varint = (value: number): Buffer => {
  const bytes: Array<number> = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}
