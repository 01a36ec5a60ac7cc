import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import { assert, describe, it } from "@effect/vitest"
import { ROOT_CONTEXT } from "@opentelemetry/api"
import { BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import { BackstitchSpanProcessor } from "../src/BackstitchSpanProcessor.ts"
import * as Limits from "../src/Limits.ts"
import * as lab from "./lab.ts"
import * as spans from "./spans.ts"

const inFolder = <A, E, R>(use: (folder: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-spans-"))),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Ends the spans of an agent in the official SDK. */
const work = (processor: SpanProcessor, trace: number) => {
  let current: spans.Made | undefined
  const idGenerator = {
    generateTraceId: () => spans.traceOf(trace),
    generateSpanId: () => (current?.id ?? 0).toString(16).padStart(16, "0")
  }
  const provider = new BasicTracerProvider({ idGenerator, spanProcessors: [processor] })
  const tracer = provider.getTracer("test")
  for (const made of spans.paysTwice(trace)) {
    current = made
    const span = tracer.startSpan("step", { attributes: made.attributes, root: true }, ROOT_CONTEXT)
    if (made.error !== undefined) span.setStatus({ code: 2, message: made.error })
    span.end()
  }
  return provider
}

const linesIn = (store: string, trace: number) =>
  Effect.map(lab.transitions(trace), lab.told).pipe(
    Effect.provide(lab.over(SqlTraceStore.layerFromAddress(store)), { local: true })
  )

describe("BackstitchSpanProcessor", () => {
  it.live("keeps the spans that the official SDK ends as a run, also if a later process sends them again", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const store = join(folder, "sub/trace.db")
        for (const _ of [1, 2]) {
          const provider = work(new BackstitchSpanProcessor({ store }), 1)
          yield* Effect.promise(() => provider.forceFlush())
          yield* Effect.promise(() => provider.shutdown())
        }
        assert.deepStrictEqual(yield* linesIn(store, 1), lab.whole)
      })
    )
  )

  it.live("keeps spans while the store cannot be written, says so, and fails nothing of the agent", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const place = join(folder, "a")
        writeFileSync(place, "no folder")
        const problems: Array<string> = []
        const store = join(place, "trace.db")
        const processor = new BackstitchSpanProcessor({ store, onProblem: (problem) => problems.push(problem) })
        const provider = work(processor, 1)
        yield* Effect.promise(() => provider.forceFlush())
        assert.strictEqual(problems.length, 1)
        for (let more = 0; more < Limits.refusing.waitingSpansMax; more++) processor.onEnd(ended(more))
        assert.strictEqual(problems.length, 2)
        assert.include(problems[1], "further ones are dropped")
        yield* Effect.promise(() => provider.shutdown())
      })
    )
  )
})

const ended = (id: number) => ({
  spanContext: () => ({ traceId: spans.traceOf(1), spanId: (id + 100).toString(16).padStart(16, "0") }),
  startTime: [0, 0] as const,
  attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay", odd: 1n < 2n, text: "\ud800" },
  status: { code: 0 },
  events: []
})
