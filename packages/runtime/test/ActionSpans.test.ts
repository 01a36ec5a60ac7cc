import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Ledger from "../src/projections/Ledger.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as ActionSpans from "../src/telemetry/ActionSpans.ts"
import * as SpanAttributes from "../src/telemetry/SpanAttributes.ts"
import * as lab from "./lab.ts"

/** A tracer that keeps its spans. */
const keeping = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const ours = () => spans.filter(({ name, status }) => name.startsWith("backstitch.") && status._tag === "Ended")
  return { layer: Layer.succeed(Tracer.Tracer, tracer), ours, spans }
}

const traceOf = (transitions: ReadonlyArray<Transition>) => new Set(transitions.map(({ envelope }) => envelope.trace))

const nameOf = ({ spanId, traceId }: Tracer.AnySpan): string => `${traceId}-${spanId}`

const chain = (spans: ReadonlyArray<Tracer.Span>) =>
  spans.filter(({ name }) => name !== "backstitch.action").map(({ name }) => name.slice("backstitch.".length))

const inOrder = (spans: ReadonlyArray<Tracer.Span>) =>
  [...spans].sort((one, other) => {
    if (one.status.startTime !== other.status.startTime) return one.status.startTime < other.status.startTime ? -1 : 1
    const at = ({ name }: Tracer.Span) => SpanAttributes.spans.findIndex((each) => name === `backstitch.${each}`)
    return at(one) - at(other)
  })

describe("ActionSpans", () => {
  it.effect(
    "gives a verified action the whole chain, each span linked to the one before, with the facts of the ledger",
    () =>
      Effect.gen(function* () {
        const { layer, ours } = keeping()
        const store = yield* lab.shared
        const { entries, transitions } = yield* lab.as(lab.process(store).pipe(Layer.provideMerge(layer)))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            yield* handle.propose(lab.book("LX1"))
            return { entries: yield* Ledger.of(lab.trip), transitions: yield* lab.transitions() }
          })
        )
        const spans = inOrder(ours())
        const root = spans.find(({ name }) => name === "backstitch.action")
        assert.isDefined(root)
        assert.deepStrictEqual(chain(spans), [
          "inference",
          "validation",
          "wrapper",
          "execution",
          "verification",
          "reconciliation"
        ])
        const steps = spans.filter((span) => span !== root)
        steps.forEach((span, index) => {
          const before = steps[index - 1]
          assert.deepStrictEqual(
            span.links.map((link) => nameOf(link.span)),
            before === undefined ? [] : [nameOf(before)]
          )
          assert.deepStrictEqual(Option.map(span.parent, nameOf), Option.some(nameOf(root)))
        })
        const values = SpanAttributes.of(entries[0]!)
        for (const span of spans) assert.deepInclude(Object.fromEntries(span.attributes), values)
        assert.includeMembers(Object.keys(values), ["action.id", "ledger.entry_id", "idempotency.key_hash"])
        assert.strictEqual(root.attributes.get("backstitch.outcome"), "done")
        // The root alone is a call of a tool by the GenAI conventions: one action is one call.
        const calls = spans.filter(({ attributes }) => attributes.get("gen_ai.operation.name") === "execute_tool")
        assert.deepStrictEqual(calls, [root])
        assert.deepInclude(Object.fromEntries(root.attributes), {
          "gen_ai.tool.name": "book",
          "gen_ai.tool.call.id": values["action.id"]
        })
        // The ledger and the spans lead to each other.
        assert.deepStrictEqual(
          [entries[0]?.trace.trace_id, entries[0]?.trace.parent_span_id],
          [root.traceId, root.spanId]
        )
        assert.deepStrictEqual([...traceOf(transitions.slice(1))], [nameOf(root)])
      })
  )

  it.effect("links the spans of a resumed process to the span of the killed one", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const killed = keeping()
      yield* lab
        .as(lab.process(store, { world }).pipe(Layer.provideMerge(killed.layer)))(
          Effect.flatMap(lab.open(), (handle) => handle.propose(lab.book("LX1"))).pipe(
            lab.atPlace(6, () => Effect.die("killed"))
          )
        )
        .pipe(Effect.exit)
      const second = keeping()
      const { entry, first } = yield* lab.as(lab.process(store, { world }).pipe(Layer.provideMerge(second.layer)))(
        Effect.gen(function* () {
          const [, request] = yield* lab.transitions()
          const handle = yield* lab.open()
          yield* lab.elapsing(handle.resume)
          const [entry] = yield* Ledger.of(lab.trip)
          return { entry, first: request?.envelope.trace }
        })
      )
      const root = second.ours().find(({ name }) => name === "backstitch.action")
      assert.deepStrictEqual(
        root?.links.map((link) => nameOf(link.span)),
        [first]
      )
      assert.isTrue(killed.spans.some((span) => nameOf(span) === first))
      assert.strictEqual(entry?.trace.trace_id, first?.split("-")[0])
      assert.includeMembers(chain(second.ours()), ["recovery", "verification", "reconciliation"])
    })
  )

  it.effect("begins with the thought of the planner, and puts the spans of a tool below its execution", () =>
    Effect.gen(function* () {
      const { layer, ours, spans } = keeping()
      const store = yield* lab.shared
      const executor = {
        mode: "live",
        call: () => Effect.withSpan(Effect.succeed({ _tag: "Ok", output: {} } as const), "POST /orders"),
        status: () => Effect.succeed({ _tag: "NotFound" } as const),
        readback: () => Effect.succeed({ _tag: "NotFound" } as const)
      } as const
      const steps = [{ id: "tell", propose: lab.tell("ada") }]
      yield* lab.as(lab.process(store, { executor, steps }).pipe(Layer.provideMerge(layer)))(lab.work)
      const tool = spans.find(({ name }) => name === "POST /orders")
      const execution = ours().find(({ name }) => name === "backstitch.execution")
      assert.deepStrictEqual(Option.map(tool!.parent, nameOf), Option.some(nameOf(execution!)))
      assert.lengthOf(
        ours().filter(({ name }) => name === "backstitch.inference"),
        1
      )
    })
  )

  it.effect("gives a reversal spans of its own, below those of its action", () =>
    Effect.gen(function* () {
      const { layer, ours } = keeping()
      const store = yield* lab.shared
      const { book, look } = lab.definition.tools
      const { undo: _, ...rest } = book
      const pack = Result.getOrThrow(
        TaskPack.make({
          ...lab.definition,
          tools: {
            look,
            book: { ...rest, undo: { class: "K", by: "unbook", with: { flight: "args.flight" } } },
            unbook: {
              ...rest,
              input: { flight: "string" },
              target: "'booking/' + args.flight",
              identity: { scope: "run", fields: [{ flight: "exact" }] },
              readback: { source: "airline", expect: ["actual.status == 'void'"], within: "2s" },
              undo: "X",
              on_reconciled: []
            }
          }
        })
      )
      const sent = new Set<string>()
      const answer = (tool: string) => (tool === "book" ? { flight: "LX1", id: "B1", price: 99 } : { status: "void" })
      const notFound = { _tag: "NotFound" } as const
      const executor = {
        mode: "live",
        call: ({ tool }: ToolExecutor.ToolRequest) =>
          Effect.sync(() => {
            sent.add(tool)
            return { _tag: "Ok", output: answer(tool) } as const
          }),
        status: ({ tool }: ToolExecutor.ToolRequest) =>
          Effect.sync(() => (sent.has(tool) ? ({ _tag: "Ok", output: answer(tool) } as const) : notFound)),
        readback: ({ tool }: ToolExecutor.ToolRequest) =>
          Effect.sync(() => ({ _tag: "Ok", output: sent.has(tool) ? answer(tool) : { status: "booked" } }) as const)
      } as const
      const outcome = yield* lab.as(lab.process(store, { executor }).pipe(Layer.provideMerge(layer)))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          return yield* lab.elapsing(handle.propose(lab.book("LX1")))
        })
      )
      assert.strictEqual(outcome._tag, "Failed")
      const actions = ours().filter(({ name }) => name === "backstitch.action")
      const of = (tool: string) => actions.find(({ attributes }) => attributes.get("tool.name") === tool)
      const [booked, undone] = [of("book"), of("unbook")]
      assert.isDefined(booked)
      assert.isDefined(undone)
      assert.strictEqual(undone.traceId, booked.traceId)
      assert.deepStrictEqual(Option.map(undone.parent, nameOf), Option.some(nameOf(booked)))
      assert.strictEqual(booked.attributes.get("discrepancy.class"), "value_mismatch")
      assert.notStrictEqual(undone.attributes.get("action.id"), booked.attributes.get("action.id"))
      const below = (root: Tracer.Span) =>
        chain(ours().filter(({ parent }) => Option.isSome(parent) && nameOf(parent.value) === nameOf(root)))
      assert.includeMembers(below(booked), ["execution", "verification", "recovery"])
      assert.includeMembers(below(undone), ["execution", "verification", "reconciliation"])
    })
  )

  it.effect("makes no span without an action, and none at all without a tracer", () =>
    Effect.gen(function* () {
      const { layer, ours } = keeping()
      const store = yield* lab.shared
      yield* lab.as(lab.process(store).pipe(Layer.provideMerge(layer)))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("seen")))
      )
      assert.deepStrictEqual(ours(), [])
      const refused = yield* lab.as(lab.process(store).pipe(Layer.provideMerge(layer)))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.book("LX1", 900)))
      )
      assert.strictEqual(refused._tag, "Refused")
      assert.deepStrictEqual(
        ours().map(({ attributes, name }) => [name, attributes.get("backstitch.outcome")]),
        [["backstitch.action", "refused"]]
      )
      const traced: ActionSpans.Traced = { action: "" }
      const bare = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX2"))
          return (yield* lab.transitions()).slice(-4)
        })
      )
      assert.deepStrictEqual([...traceOf(bare)], [undefined])
      assert.isUndefined(traced.tracing)
    })
  )

  it.live("reaches a real collector over HTTP, in the protocol of OpenTelemetry", () =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const server = createServer((request, response) => {
        let text = ""
        request.on("data", (chunk) => (text += chunk))
        request.on("end", () => {
          received.push(`${request.method} ${request.url} ${text}`)
          response.end("{}")
        })
      })
      const url = yield* Effect.acquireRelease(
        Effect.callback<string>((resume) => {
          server.listen(0, "127.0.0.1", () => {
            resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`))
          })
        }),
        () => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      )
      const exporter = OtlpTracer.layer({ url, resource: { serviceName: "acme" } }).pipe(
        Layer.provide(OtlpSerialization.layerJson),
        Layer.provide(FetchHttpClient.layer)
      )
      const store = yield* lab.shared
      const entries = yield* lab.as(lab.process(store).pipe(Layer.provideMerge(exporter)))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          return yield* Ledger.of(lab.trip)
        })
      )
      // The scope is closed: what was ended has been sent.
      const spans = received.flatMap((text) => {
        assert.isTrue(text.startsWith("POST /v1/traces {"))
        const { resourceSpans } = JSON.parse(text.slice(text.indexOf("{")))
        return resourceSpans[0].scopeSpans[0].spans
      })
      const ours = spans.filter(({ name }) => name.startsWith("backstitch."))
      assert.lengthOf(ours, 7)
      const root = ours.find(({ name }) => name === "backstitch.action")
      assert.strictEqual(root.traceId, entries[0]?.trace.trace_id)
      for (const span of ours) {
        const keys = span.attributes.map(({ key }: { readonly key: string }) => key)
        for (const name of Object.keys(SpanAttributes.of(entries[0]!))) assert.include(keys, name)
      }
      assert.lengthOf(
        ours.filter(({ links }) => links.length === 1),
        5
      )
    }).pipe(Effect.scoped)
  )
})
