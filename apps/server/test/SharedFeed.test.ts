import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as Sealing from "@backstitch/runtime/Sealing"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Limits from "../src/Limits.ts"
import * as Stores from "../src/store/Stores.ts"
import * as SharedFeed from "../src/stream/SharedFeed.ts"

const run = Run.make("watched")
const { sharedEventsMax } = Limits.pacing

/** Waits for what others do. */
const until = Effect.fnUntraced(function* (isMet: () => boolean) {
  for (let look = 0; look < 20_000 && !isMet(); look++) yield* Effect.sleep("1 millis")
  assert.isTrue(isMet())
})

/** A feed over a store in memory, which counts what was followed, written and seen, and breaks when it is told to. */
const scene = Effect.gen(function* () {
  const memory = yield* TraceStore.makeMemory
  const told = { followed: 0, written: 0, seen: 0, isBroken: false }
  const lost = new TraceStore.TraceStoreError({ operation: "read", reason: "lost", store: "memory:", cause: "" })
  const store: TraceStore.TraceStore["Service"] = {
    ...memory,
    changes: (selection) =>
      Stream.suspend(() => {
        told.followed++
        return Stream.mapEffect(memory.changes(selection), (change) =>
          told.isBroken ? Effect.fail(lost) : Effect.succeed(change)
        )
      })
  }
  const services = yield* Layer.build(
    Coordinator.layer({ secret: "" }).pipe(
      Layer.provideMerge(History.layer(Kernel.standard)),
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(ToolExecutor.layerFrom({})),
      Layer.provideMerge(Layer.succeed(TraceStore.TraceStore, TraceStore.TraceStore.of(store)))
    )
  )
  // Nothing of this test is sealed.
  const of = () => Effect.succeed(services as Context.Context<Stores.RequestServices | Sealing.Sealing>)
  const shared = yield* Effect.provideService(
    SharedFeed.make(({ head }) => {
      told.written++
      return { id: String(head.tick), data: { tick: head.tick } }
    }),
    Stores.Stores,
    Stores.Stores.of({ of })
  )
  const handle = yield* Effect.provide(
    Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.begin(run, { goal: "to be watched" })),
    services
  )
  const say = (count: number) =>
    Effect.gen(function* () {
      for (let each = 0; each < count; each++) {
        yield* handle.propose({ author: "user", type: "message.received", data: { content: "hello" } })
      }
      yield* handle.flush
    })
  const head = Effect.map(memory.info(run), (info) => info?.head.tick ?? 0)
  /** The ticks of a reader, up to a number of them. */
  const ticks = (from: number, count: number) =>
    Effect.flatMap(shared.events(run, from), (events) =>
      Stream.take(events, count).pipe(
        Stream.tap(() => Effect.sync(() => told.seen++)),
        Stream.runCollect,
        Effect.map((found) => found.map(({ id }) => Number(id))),
        Effect.provide(services)
      )
    ).pipe(Effect.provide(services))
  return { head, say, shared, services, ticks, told }
})

const range = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => from + index)

describe("a shared feed", () => {
  it.live("writes a commit once, however many read it", () =>
    Effect.gen(function* () {
      const { head, say, ticks, told } = yield* scene
      const from = (yield* head) + 1
      const readers = yield* Effect.forEach(range(0, 50), () =>
        Effect.forkChild(ticks(from, 8), { startImmediately: true })
      )
      yield* until(() => told.followed === 1)
      yield* say(4)
      yield* say(4)
      for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), range(from, 8))
      assert.strictEqual(told.written, 8)
    })
  )

  it.live("follows a run once from where its first reader begins, and for others of that time as well", () =>
    Effect.gen(function* () {
      const { head, say, ticks, told } = yield* scene
      yield* say(6)
      const last = yield* head
      const first = yield* Effect.forkChild(ticks(1, last + 2), { startImmediately: true })
      yield* until(() => told.seen === last)
      const next = yield* Effect.forkChild(ticks(3, last), { startImmediately: true })
      yield* until(() => told.seen === 2 * last - 2)
      yield* say(2)
      assert.deepStrictEqual(yield* Fiber.join(first), range(1, last + 2))
      assert.deepStrictEqual(yield* Fiber.join(next), range(3, last))
      assert.deepStrictEqual([told.followed, told.written], [1, last + 2])
    })
  )

  it.live("gives a reader that begins further back, or has fallen behind, each commit once", () =>
    Effect.gen(function* () {
      const { head, say, services, shared, ticks, told } = yield* scene
      const from = (yield* head) + 1
      const count = 3 * sharedEventsMax
      const seen: Array<number> = []
      const behind = yield* Deferred.make<void>()
      const slow = Effect.gen(function* () {
        const events = Stream.rechunk(yield* shared.events(run, from), 1)
        yield* Stream.runForEach(Stream.take(events, count + 5), ({ id }) => {
          seen.push(Number(id))
          return seen.length === 2 ? Deferred.await(behind) : Effect.void
        })
        return seen
      })
      const reader = yield* Effect.forkChild(Effect.provide(slow, services), { startImmediately: true })
      yield* until(() => told.followed === 1)
      yield* say(2)
      yield* until(() => seen.length === 2)
      yield* say(count - 2)
      yield* until(() => told.written === count)
      const late = yield* Effect.forkChild(ticks(1, from + count + 4), { startImmediately: true })
      yield* until(() => told.followed === 2)
      yield* Deferred.succeed(behind, undefined)
      yield* say(5)
      assert.deepStrictEqual(yield* Fiber.join(late), range(1, from + count + 4))
      assert.deepStrictEqual(yield* Fiber.join(reader), range(from, count + 5))
    })
  )

  it.live("fails for its readers with the store, and is followed anew by the next", () =>
    Effect.gen(function* () {
      const { head, say, ticks, told } = yield* scene
      const from = (yield* head) + 1
      const readers = yield* Effect.forEach(range(0, 3), () =>
        Effect.forkChild(Effect.flip(ticks(from, 2)), { startImmediately: true })
      )
      yield* until(() => told.followed === 1)
      yield* say(1)
      yield* until(() => told.seen === 3)
      told.isBroken = true
      yield* say(1)
      for (const reader of readers) assert.strictEqual((yield* Fiber.join(reader))._tag, "TraceStoreError")
      told.isBroken = false
      const again = yield* Effect.forkChild(ticks(from, 3), { startImmediately: true })
      yield* until(() => told.seen === 5)
      yield* say(1)
      assert.deepStrictEqual(yield* Fiber.join(again), range(from, 3))
    })
  )
})
