import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as OtlpReceiver from "../src/OtlpReceiver.ts"
import * as SpanIntake from "../src/SpanIntake.ts"
import * as lab from "./lab.ts"
import * as spans from "./spans.ts"

const body = Buffer.from(JSON.stringify(spans.otlp(spans.paysTwice(1))))

const request = (more: Partial<OtlpReceiver.ReceivedRequest> = {}): OtlpReceiver.ReceivedRequest => ({
  method: "POST",
  path: OtlpReceiver.path,
  headers: { "content-type": "application/json" },
  body,
  ...more
})

const failing = (reason: TraceStore.TraceStoreError["reason"]): SpanIntake.SpanIntake => ({
  take: () =>
    Effect.fail(
      new TraceStore.TraceStoreError({ operation: "append", reason, store: "s", run: Run.make("r").id, cause: "no" })
    )
})

describe("OtlpReceiver", () => {
  it.effect("acknowledges spans once they are committed, and says how many it refused", () =>
    Effect.gen(function* () {
      const intake = yield* SpanIntake.make({})
      const answer = yield* OtlpReceiver.answer(intake, request())
      assert.deepStrictEqual([answer.status, answer.body.toString(), answer.taken?.taken], [200, "{}", 5])
      assert.strictEqual((yield* lab.transitions(1)).length, 7)
      const nameless = Buffer.from(JSON.stringify(spans.otlp([{ ...spans.paysTwice(1)[0]!, id: 0 }])))
      const partial = yield* OtlpReceiver.answer(intake, request({ body: nameless }))
      assert.strictEqual(partial.status, 200)
      assert.strictEqual(JSON.parse(partial.body.toString()).partialSuccess.rejectedSpans, "1")
    }).pipe(lab.within)
  )

  it.effect("says what it takes, where and how", () =>
    Effect.gen(function* () {
      const intake = failing("other")
      const status = (more: Partial<OtlpReceiver.ReceivedRequest>) =>
        Effect.map(OtlpReceiver.answer(intake, request(more)), (answer) => [answer.status, answer.problem])
      assert.deepStrictEqual(yield* status({ path: "/v1/metrics" }), [
        404,
        "nothing is taken at /v1/metrics: send spans to /v1/traces"
      ])
      assert.deepStrictEqual(yield* status({ method: "GET" }), [405, "send spans by POST, not by GET"])
      assert.strictEqual((yield* status({ body: undefined }))[0], 413)
      assert.strictEqual((yield* status({ body: Buffer.from("{") }))[0], 400)
    })
  )

  it.effect("asks a sender to come again if the store cannot commit now, and not if it never will", () =>
    Effect.gen(function* () {
      const locked = yield* OtlpReceiver.answer(failing("locked"), request())
      assert.deepStrictEqual([locked.status, locked.headers["retry-after"]], [503, "1"])
      const corrupt = yield* OtlpReceiver.answer(failing("corrupt"), request())
      assert.deepStrictEqual([corrupt.status, corrupt.headers["retry-after"]], [500, undefined])
      assert.deepStrictEqual(OtlpReceiver.busy("application/x-protobuf").status, 503)
    })
  )
})
