import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Limits from "../src/Limits.ts"
import * as OtlpRequest from "../src/OtlpRequest.ts"
import * as spans from "./spans.ts"

const json = (body: string | Uint8Array, more: Partial<OtlpRequest.Sent> = {}) =>
  OtlpRequest.decode({ contentType: "application/json", encoding: undefined, body: Buffer.from(body), ...more })

const protobuf = (body: Uint8Array) =>
  OtlpRequest.decode({ contentType: "application/x-protobuf", encoding: undefined, body })

/** A request as the official SDK writes it, with every kind of attribute value. */
const official = async (): Promise<Uint8Array> => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const span = provider.getTracer("test").startSpan("step", {
    startTime: 1_700_000_000_123,
    attributes: { text: "ä", yes: true, no: false, int: -7, double: 0.5, list: ["a", "b"], numbers: [1, 2.5] }
  })
  span.recordException(new Error("no route"))
  span.setStatus({ code: 2 })
  span.end()
  await provider.forceFlush()
  return ProtobufTraceSerializer.serializeRequest(exporter.getFinishedSpans()) as Uint8Array
}

const refused = <A>(effect: Effect.Effect<A, OtlpRequest.OtlpRefused>) =>
  Effect.map(Effect.flip(effect), ({ message, status }) => `${status} ${message}`)

describe("OtlpRequest", () => {
  it.effect("reads the same spans from JSON, plain and as gzip", () =>
    Effect.gen(function* () {
      const text = JSON.stringify(spans.otlp(spans.paysTwice(1)))
      const plain = yield* json(text)
      assert.deepStrictEqual(plain.spans, spans.spansOf(spans.paysTwice(1)))
      assert.deepStrictEqual(yield* json(gzipSync(text), { encoding: "gzip" }), plain)
      assert.deepStrictEqual((yield* json("{}")).spans, [])
    })
  )

  it.effect("reads every kind of value that the official SDK writes as protobuf", () =>
    Effect.gen(function* () {
      const { form, spans: found } = yield* protobuf(yield* Effect.promise(official))
      assert.strictEqual(form, "protobuf")
      const [span] = found
      assert.match(`${span?.trace}-${span?.id}`, /^[0-9a-f]{32}-[0-9a-f]{16}$/)
      assert.deepInclude(span, { at: 1_700_000_000_123, failed: true, failure: "no route" })
      assert.deepStrictEqual(span?.attributes, {
        text: "ä",
        yes: true,
        no: false,
        int: "-7",
        double: 0.5,
        list: ["a", "b"],
        numbers: ["1", 2.5]
      })
    })
  )

  it.effect("refuses a body of another type, encoding or form, and says why", () =>
    Effect.gen(function* () {
      assert.match(yield* refused(json("{}", { contentType: "text/plain" })), /^415 .*application\/x-protobuf/)
      assert.match(yield* refused(json("{}", { encoding: "br" })), /^415 .*gzip: br is not read/)
      assert.match(yield* refused(json("{", {})), /^400 .*not JSON/)
      assert.match(yield* refused(json("[1]")), /^400 .*resourceSpans/)
      assert.match(yield* refused(json("no gzip", { encoding: "gzip" })), /^400 .*no gzip/)
      assert.match(yield* refused(protobuf(Buffer.from("GET / HTTP/1.1"))), /^400 .*no request of OTLP/)
    })
  )

  it.effect("refuses what is too deep, too many or too large", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(100_000)
      assert.match(yield* refused(json(`{"resourceSpans":${deep}`)), /^4\d\d /)
      assert.match(yield* refused(json(`{"a":[${"1,".repeat(Limits.refusing.spanValuesMax)}1]}`)), /^413 .*values/)
      const bomb = gzipSync(Buffer.alloc(Limits.refusing.spansTextBytesMax + 1))
      assert.match(yield* refused(json(bomb, { encoding: "gzip" })), /^413 .*unpacks/)
      const many = `{"spans":[${"{},".repeat(Limits.refusing.spansMax)}{}]}`
      assert.match(yield* refused(json(many)), /^413 .*in one request/)
    })
  )

  it.effect.prop(
    "answers spans or a refusal to any bytes, and to a request of which some bytes were changed or cut off",
    [Schema.Uint8Array, Schema.Array(Schema.Struct({ at: Schema.Natural, to: Schema.Natural })), Schema.Natural],
    ([bytes, changes, end]) =>
      Effect.gen(function* () {
        const request = Buffer.from(yield* Effect.promise(official))
        for (const { at, to } of changes) request[at % request.length] = to % 256
        for (const body of [bytes, request, request.subarray(0, end % (request.length + 1))]) {
          const read = yield* Effect.result(protobuf(body))
          if (read._tag === "Failure") assert.strictEqual(read.failure.status, 400)
        }
      }),
    { arbitrary: { runs: 100 } }
  )

  it("writes answers that the protocol has, in the form of the request", () => {
    assert.strictEqual(OtlpRequest.accepted("json", { refused: 0 }).toString(), "{}")
    assert.strictEqual(OtlpRequest.accepted("protobuf", { refused: 0 }).length, 0)
    const partial = { refused: 300, why: "x".repeat(200) }
    assert.deepStrictEqual(JSON.parse(OtlpRequest.accepted("json", partial).toString()), {
      partialSuccess: { rejectedSpans: "300", errorMessage: partial.why }
    })
    const read = ProtobufTraceSerializer.deserializeResponse(OtlpRequest.accepted("protobuf", partial))
    assert.strictEqual(read.partialSuccess?.errorMessage, partial.why)
    assert.strictEqual(Number(read.partialSuccess?.rejectedSpans), 300)
    assert.strictEqual(OtlpRequest.failed("protobuf", "no").toString("hex"), "12026e6f")
  })
})
