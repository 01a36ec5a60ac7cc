/** Spans of actions through the real SDK of OpenTelemetry, beside those of the program. */
import { AsyncLocalStorage } from "node:async_hooks"
import { join } from "node:path"
import * as api from "@opentelemetry/api"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { assert, describe, it } from "vitest"
import { guarded, type Telemetry } from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

/** A context manager as programs install one, for the tests of this file. */
const storage = new AsyncLocalStorage<api.Context>()
const context = {
  active: () => storage.getStore() ?? api.ROOT_CONTEXT,
  with: <A>(active: api.Context, run: () => A) => storage.run(active, run)
}

const installed = () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer("my-agent")
  const telemetry: Telemetry = { api: { ...api, context }, tracer }
  return { exporter, telemetry, tracer }
}

describe("telemetry", () => {
  it("has the chain of an action below the span of the program, and the spans of its tool below that", async () => {
    const { exporter, telemetry, tracer } = installed()
    const send = async (args: { ticket: string }) => {
      tracer.startSpan("of the tool", {}, context.active()).end()
      return args
    }
    const contract = { tool: "send", input: { ticket: "string" }, identity: ["ticket"] }
    await using refund = guarded(send, { contract, store: "memory:", telemetry })
    const outer = tracer.startSpan("of the program")
    await storage.run(api.trace.setSpan(api.ROOT_CONTEXT, outer), () => refund({ ticket: "T-17" }))
    outer.end()
    const spans = exporter.getFinishedSpans()
    const named = (name: string) => spans.find((span) => span.name === name)
    const action = named("backstitch.action")
    assert.strictEqual(action?.parentSpanContext?.spanId, outer.spanContext().spanId)
    assert.strictEqual(action?.attributes["gen_ai.tool.name"], "send")
    const execution = spans.find(({ name }) => /execution/.test(name))
    assert.strictEqual(named("of the tool")?.parentSpanContext?.spanId, execution?.spanContext().spanId)
  })

  it("fails no call, whatever the SDK throws", async () => {
    const fail = () => {
      throw new Error("no telemetry")
    }
    const { telemetry } = installed()
    const span = { spanContext: () => ({ spanId: "1", traceId: "2", traceFlags: 1 }), setAttribute: fail, end: fail }
    const broken: ReadonlyArray<unknown> = [
      { ...telemetry, tracer: { startSpan: fail } },
      { ...telemetry, api: { ...api, context: { active: () => api.ROOT_CONTEXT, with: fail } } },
      { api: {}, tracer: { startSpan: () => ({}) } },
      { api, tracer: { startSpan: () => span } }
    ]
    for (const given of broken) {
      let sent = 0
      const send = async (args: { ticket: string }) => ({ ...args, sent: ++sent })
      const contract = { tool: "send", input: { ticket: "string" } }
      await using tool = guarded(send, { contract, store: "memory:", telemetry: given as Telemetry })
      assert.deepStrictEqual(await tool({ ticket: "T-17" }), { sent: 1, ticket: "T-17" })
      assert.strictEqual(sent, 1)
    }
  })

  it("takes the module of the API as it is, and tells tools with different tracers apart", async () => {
    const [one, other] = [installed(), installed()]
    const contract = { tool: "send", input: { ticket: "string" } }
    const store = join(freshFolder(), "trace.db")
    const tools = [one, other].map(({ telemetry: { tracer } }) =>
      guarded(async (args: { ticket: string }) => args, {
        contract,
        store,
        secret: "s",
        telemetry: { api, tracer }
      })
    )
    for (const tool of tools) await tool({ ticket: "T-17" })
    const counts = [one, other].map(
      ({ exporter }) => exporter.getFinishedSpans().filter(({ name }) => name === "backstitch.action").length
    )
    assert.deepStrictEqual(counts, [1, 1])
    for (const tool of tools) await tool[Symbol.asyncDispose]()
  })
})
