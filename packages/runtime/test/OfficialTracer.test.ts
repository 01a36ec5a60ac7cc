import { AsyncLocalStorage } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import * as api from "@opentelemetry/api"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import * as OfficialTracer from "../src/telemetry/OfficialTracer.ts"

/** A context manager as programs install one, for the tests of this file. */
const storage = new AsyncLocalStorage<api.Context>()
const manager: api.ContextManager = {
  active: () => storage.getStore() ?? api.ROOT_CONTEXT,
  with: (context, fn, self, ...args) => storage.run(context, () => fn.apply(self, args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager
}

const traced = <A, E>(effect: Effect.Effect<A, E>, tracer: (made: api.Tracer) => api.Tracer = (made) => made) =>
  Effect.gen(function* () {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const made = tracer(provider.getTracer("test"))
    const installed = { ...api, context: { ...api.context, active: manager.active, with: manager.with } }
    const exit = yield* Effect.exit(effect.pipe(Effect.provide(OfficialTracer.layer(installed as never, made))))
    return { exit, spans: exporter.getFinishedSpans() }
  })

describe("OfficialTracer", () => {
  it.live("writes spans with their parents, attributes, kinds, events and links through the SDK", () =>
    Effect.gen(function* () {
      const inner = Effect.gen(function* () {
        const span = yield* Effect.currentSpan
        span.attribute("action.id", "a1")
        span.event("sent", 1_700_000_000_000_000_000n, { to: "bank" })
        const parent = span.parent._tag === "Some" ? span.parent.value : span
        span.addLinks([{ span: parent, attributes: { why: "next" } }])
      }).pipe(Effect.withSpan("inner", { kind: "client", attributes: { n: 1, nothing: null } }))
      const { spans } = yield* traced(inner.pipe(Effect.withSpan("outer")))
      const [one, other] = spans
      assert.deepStrictEqual([one?.name, other?.name, one?.kind], ["inner", "outer", 2])
      assert.strictEqual(one?.parentSpanContext?.spanId, other?.spanContext().spanId)
      assert.strictEqual(one?.spanContext().traceId, other?.spanContext().traceId)
      assert.deepInclude(one?.attributes, { "action.id": "a1", n: 1, nothing: "null" })
      assert.deepStrictEqual(
        one?.events.map(({ attributes, name, time }) => [name, attributes, time]),
        [["sent", { to: "bank" }, [1_700_000_000, 0]]]
      )
      assert.deepStrictEqual(
        one?.links.map(({ attributes, context }) => [context.spanId, attributes]),
        [[other?.spanContext().spanId, { why: "next" }]]
      )
    })
  )

  it.live("says that a span failed, and how", () =>
    Effect.gen(function* () {
      const { spans } = yield* traced(Effect.fail(new Error("no route")).pipe(Effect.withSpan("failing")))
      assert.deepStrictEqual(spans[0]?.status, { code: 2, message: "no route" })
      assert.strictEqual(spans[0]?.events[0]?.name, "exception")
    })
  )

  it.live("has the spans of the program's own code above and below its own", () =>
    Effect.gen(function* () {
      let official: api.Tracer | undefined
      const own = (name: string) => official!.startSpan(name, {}, manager.active())
      const tool = Effect.sync(() => own("of the tool").end()).pipe(Effect.withSpan("execution"))
      const { spans } = yield* traced(
        Effect.gen(function* () {
          const outer = own("of the program")
          const services = yield* Effect.context()
          const run = () => Effect.runPromise(Effect.provideContext(tool, services as never) as Effect.Effect<void>)
          yield* Effect.promise(() => storage.run(api.trace.setSpan(api.ROOT_CONTEXT, outer), run))
          outer.end()
        }) as Effect.Effect<void>,
        (made) => {
          official = made
          return made
        }
      )
      const named = (name: string) => spans.find((span) => span.name === name)
      assert.strictEqual(named("execution")?.parentSpanContext?.spanId, named("of the program")?.spanContext().spanId)
      assert.strictEqual(named("of the tool")?.parentSpanContext?.spanId, named("execution")?.spanContext().spanId)
    })
  )
})
