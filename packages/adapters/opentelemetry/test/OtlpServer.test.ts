import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Limits from "../src/Limits.ts"
import * as OtlpServer from "../src/OtlpServer.ts"
import * as SpanIntake from "../src/SpanIntake.ts"
import * as lab from "./lab.ts"
import * as spans from "./spans.ts"

const body = JSON.stringify(spans.otlp(spans.paysTwice(1)))

const post = (port: number, more: RequestInit = {}) =>
  Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      ...more
    })
  )

describe("OtlpServer", () => {
  it.live("listens on this machine alone, and answers over HTTP", () =>
    Effect.gen(function* () {
      const port = yield* OtlpServer.serve({ intake: yield* SpanIntake.make({}), port: 0 })
      const response = yield* post(port)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), null)
      assert.strictEqual((yield* lab.transitions(1)).length, 7)
      const fromPage = yield* post(port, { headers: { "content-type": "text/plain" } })
      assert.strictEqual(fromPage.status, 415)
    }).pipe(Effect.scoped, Effect.provide(lab.memory, { local: true }))
  )

  it.live("refuses a body that is too large, a sender that says no HTTP, and goes on", () =>
    Effect.gen(function* () {
      const port = yield* OtlpServer.serve({ intake: yield* SpanIntake.make({}), port: 0 })
      const large = yield* post(port, { body: " ".repeat(Limits.refusing.spansBytesMax + 1) })
      assert.strictEqual(large.status, 413)
      const answer = yield* Effect.callback<string>((resume) => {
        const socket = Net.connect(port, "127.0.0.1", () => socket.write("\u0000nonsense\r\n\r\n"))
        let text = ""
        socket.on("data", (chunk) => {
          text += chunk
        })
        socket.on("close", () => resume(Effect.succeed(text)))
      })
      assert.match(answer, /^HTTP\/1\.1 400/)
      assert.strictEqual((yield* post(port)).status, 200)
    }).pipe(Effect.scoped, Effect.provide(lab.memory, { local: true }))
  )

  it.live("asks senders of a flood to come again, and takes the others", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const inner = yield* SpanIntake.make({})
      const intake = {
        take: (all: Parameters<typeof inner.take>[0]) => Effect.andThen(Deferred.await(gate), inner.take(all))
      }
      const answered: Array<number> = []
      const onResponse = ({ status }: { readonly status: number }) => {
        answered.push(status)
        // The last of the flood is refused before any of the others is let through.
        if (answered.length === 12) Effect.runSync(Deferred.succeed(gate, undefined))
      }
      const port = yield* OtlpServer.serve({ intake, port: 0, onResponse })
      const flood = Limits.refusing.collectorBodiesMax + 12
      const responses = yield* Effect.all(
        Array.from({ length: flood }, () => post(port)),
        { concurrency: "unbounded" }
      )
      const statuses = responses.map(({ status }) => status)
      assert.strictEqual(statuses.filter((status) => status === 503).length, 12)
      assert.strictEqual(statuses.filter((status) => status === 200).length, Limits.refusing.collectorBodiesMax)
      assert.strictEqual(responses.find(({ status }) => status === 503)?.headers.get("retry-after"), "1")
      assert.strictEqual((yield* lab.transitions(1)).length, 7)
    }).pipe(Effect.scoped, Effect.provide(lab.memory, { local: true }))
  )

  it.live("names a port that is taken", () =>
    Effect.gen(function* () {
      const intake = yield* SpanIntake.make({})
      const port = yield* OtlpServer.serve({ intake, port: 0 })
      const error = yield* Effect.flip(OtlpServer.serve({ intake, port }))
      assert.match(
        error.message,
        /^Port \d+ of 127\.0\.0\.1 cannot be listened on: .*Choose another one, or 0 for any$/
      )
    }).pipe(Effect.scoped, Effect.provide(lab.memory, { local: true }))
  )
})
