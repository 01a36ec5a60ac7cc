import type * as Readback from "@backstitch/contracts/Readback"
import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as lab from "./lab.ts"

const request = (tool: string): ToolExecutor.ToolRequest => ({
  tool,
  action: "a1",
  params: { q: "x" },
  key: "k1",
  deadlineMillis: 1000
})

const answers = (tool: ToolExecutor.Tool) => {
  const executor = ToolExecutor.fromTools({ it: tool })
  return lab.elapsing(
    Effect.all([executor.call(request("it")), executor.status(request("it")), executor.readback(request("it"))])
  )
}

describe("ToolExecutor", () => {
  it.effect("returns evidence as a value, whatever happens", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* answers({
          execute: (_, { action, key }) => ({ action, key: key ?? null }),
          status: async () => undefined,
          readback: async () => "pending"
        }),
        [{ _tag: "Ok", output: { action: "a1", key: "k1" } }, { _tag: "NotFound" }, { _tag: "Pending" }]
      )
      assert.deepStrictEqual(
        yield* answers({
          execute: () => {
            throw new ToolExecutor.ToolRefused({ code: "sold_out" })
          },
          status: async () => {
            throw new Error("fetch failed", { cause: new Error("reset") })
          }
        }),
        [
          { _tag: "Error", error: { code: "sold_out" } },
          { _tag: "Unknown", reason: "fetch failed: reset" },
          { _tag: "Unknown", reason: Finding.make("answer.no_readback", {}) }
        ]
      )
    })
  )

  it.effect("takes an immediate answer without waiting, and an immediate throw as a value", () =>
    Effect.gen(function* () {
      const executor = ToolExecutor.fromTools({
        fine: { execute: () => 1 },
        lost: { execute: () => assert.fail("gone") }
      })
      // The clock stands still: what waited for it would never end.
      assert.deepStrictEqual(yield* executor.call(request("fine")), { _tag: "Ok", output: 1 })
      assert.deepStrictEqual(yield* executor.call(request("lost")), { _tag: "Unknown", reason: "gone" })
    })
  )

  it.effect("takes the answer of what only has a `then`, and a `then` that throws as a value", () =>
    Effect.gen(function* () {
      // Such as the query of a library, which is asked when it is awaited, and answers no promise of its own.
      const query = (then: (found: (value: Json) => void) => void) => ({ then }) as unknown as Promise<Json>
      const thrown = (cause: unknown) =>
        query(() => {
          throw cause
        })
      const [found, lost] = yield* answers({
        execute: () => query((resolve) => resolve(1)),
        status: () => thrown(null)
      })
      assert.deepStrictEqual(found, { _tag: "Ok", output: 1 })
      assert.deepStrictEqual(lost, { _tag: "Unknown", reason: "null" })
    })
  )

  it.effect("gives up at the deadline and tells the tool so, which is neither success nor failure", () =>
    Effect.gen(function* () {
      let aborted = false
      const [answer] = yield* answers({
        execute: (_, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              aborted = true
              reject(new Error("aborted"))
            })
          })
      })
      assert.deepStrictEqual(answer, { _tag: "Unknown", reason: Finding.make("answer.late", { withinMillis: 1000 }) })
      assert.isTrue(aborted)
    })
  )

  it.effect("attests for a tool that is not bound that nothing is sent, and not that nothing was sent before", () =>
    Effect.gen(function* () {
      const executor = ToolExecutor.fromTools({})
      const answer = yield* executor.call(request("gone"))
      assert.deepStrictEqual(answer, { _tag: "Error", error: { code: "unbound", tool: "gone" } })
      assert.strictEqual((yield* executor.call({ ...request("gone"), resent: true }))._tag, "Unknown")
    })
  )

  it.effect("has no tool and no source by the name of what every object inherits", () =>
    Effect.gen(function* () {
      const executor = ToolExecutor.fromTools({ it: { execute: () => 1, sources: {} } })
      for (const tool of ["constructor", "toString", "__proto__"]) {
        assert.isFalse(executor.has?.(tool))
        const refused = { _tag: "Error", error: { code: "unbound", tool } } as const
        assert.deepStrictEqual(yield* executor.call(request(tool)), refused)
        assert.deepStrictEqual((yield* executor.open!(request(tool))).answer, refused)
        assert.deepStrictEqual(yield* executor.readback({ ...request("it"), source: tool }), {
          _tag: "Unknown",
          reason: Finding.make("answer.no_readback", { source: tool })
        })
      }
    })
  )
})

const deep = (levels: number): Json => (levels === 0 ? 1 : { in: deep(levels - 1) })

const unreadable = () =>
  new Proxy(
    {},
    {
      get: () => assert.fail("it is read"),
      has: () => assert.fail("it is looked at")
    }
  )

const unnamed = () =>
  Object.defineProperty(new Error("one"), "message", {
    get: () => assert.fail("its message is read")
  })

const thrown: ReadonlyArray<readonly [string, () => unknown, ToolExecutor.ToolAnswer]> = [
  ["has no text", () => Object.create(null), { _tag: "Unknown", reason: Finding.make("answer.unreadable", {}) }],
  ["cannot be read", unreadable, { _tag: "Unknown", reason: Finding.make("answer.unreadable", {}) }],
  ["hides its message", unnamed, { _tag: "Unknown", reason: Finding.make("answer.unreadable", {}) }],
  [
    "has a message that is no text",
    () => Object.assign(new Error("one"), { message: { code: 1 } }),
    { _tag: "Unknown", reason: '{"code":1}' }
  ],
  [
    "refuses for a reason that no trace carries",
    () => new ToolExecutor.ToolRefused(deep(200)),
    { _tag: "Error", error: Finding.make("refusal.unreadable", {}) }
  ],
  [
    "refuses for a reason that cannot be read",
    () =>
      Object.defineProperty(new ToolExecutor.ToolRefused("one"), "detail", { get: () => assert.fail("it is read") }),
    { _tag: "Error", error: Finding.make("refusal.unreadable", {}) }
  ]
]

describe("errors thrown by foreign code", () => {
  it.effect.each(thrown)("ends no run where it %s: at once and later, it is a value", ([_, make, answer]) =>
    Effect.gen(function* () {
      const throws = () => {
        throw make()
      }
      const late = async () => throws()
      assert.deepStrictEqual(yield* answers({ execute: throws, status: late, readback: late }), [
        answer,
        answer,
        answer
      ])
    })
  )

  const cycle: Record<string, unknown> = {}
  cycle["self"] = cycle
  it.effect.each([
    ["too large", "x".repeat(2_000_000), Finding.make("answer.too_large", { charactersMax: 1_048_576 })],
    ["too deep", JSON.parse("[".repeat(200) + "]".repeat(200)), Finding.make("value.too_deep", { levelsMax: 100 })],
    ["part of itself", cycle, Finding.make("value.not_json", {})],
    ["a number beyond JSON", 1n, Finding.make("value.not_json", {})],
    ["an object that keeps its data to itself", new Response("x"), Finding.make("value.not_json", { kind: "Response" })]
  ] as ReadonlyArray<readonly [string, unknown, Finding.Finding]>)(
    "is a code where the answer is %s, and no sentence of ours or of the engine",
    ([, value, reason]) =>
      Effect.gen(function* () {
        const gives = async () => value as Json
        const unknown = { _tag: "Unknown", reason } as const
        const found = yield* answers({ execute: () => value as Json, status: gives, readback: gives })
        assert.deepStrictEqual(found, [unknown, unknown, unknown])
      })
  )

  it.effect(
    "proves nothing if it was read from a source that is no origin: it may be a replica by another name (HS-07)",
    () =>
      Effect.gen(function* () {
        const readback = async () => new ToolExecutor.Reading({ done: true }, "Replica" as Readback.ReadOrigin)
        const [, , read] = yield* answers({ execute: () => 1, readback })
        assert.strictEqual(read._tag, "Unknown")
        assert.deepInclude(read, { reason: { args: { origin: "Replica" }, code: "answer.no_origin" } })
      })
  )
})

describe("FaultPoint", () => {
  it.effect("does nothing unless a test says otherwise", () => FaultPoint.at("append/committed"))

  it.effect("stops the world at a named place", () =>
    Effect.gen(function* () {
      const reached: Array<string> = []
      yield* Effect.all([FaultPoint.at("append/before"), FaultPoint.at("effect/before")]).pipe(
        Effect.provideService(FaultPoint.FaultPoint, (place) => Effect.sync(() => void reached.push(place)))
      )
      assert.deepStrictEqual(reached, ["append/before", "effect/before"])
    })
  )
})
