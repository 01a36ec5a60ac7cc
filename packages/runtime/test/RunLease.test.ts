import * as Leases from "@backstitch/trace/Leases"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Agent from "../src/agent/Agent.ts"
import * as RunLease from "../src/engine/RunLease.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const within = Effect.provide(Leases.layerMemory, { local: true })

describe("RunLease", () => {
  it.effect("tells the second process who goes on with the run and since when, and gives it back at the end", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* RunLease.take(lab.trip, { holder: "process 1 on here" })
          const refused = yield* Effect.flip(RunLease.take(lab.trip, { holder: "process 2 on here" }))
          assert.match(
            refused.message,
            /process 1 on here since 1970-01-01T00:00:00.000Z. Wait until .* has died, the run is free at 1970-01-01T00:00:10/
          )
        })
      )
      assert.isUndefined(yield* leases.find(lab.trip))
    }).pipe(Effect.scoped, within)
  )

  it.effect("keeps its lease alive as long as it works", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* RunLease.take(lab.trip, { holder: "one" })
      for (let look = 0; look < 5; look++) {
        yield* TestClock.adjust("11 seconds")
        assert.strictEqual((yield* leases.find(lab.trip))?.holder, "one")
      }
    }).pipe(Effect.scoped, within)
  )

  it.effect("waits until the lease is given back, and names its holder", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* leases.acquire(lab.trip, { holder: "one", ttlMillis: 60_000 })
      const waited: Array<string> = []
      const second = yield* Effect.forkChild(
        Effect.scoped(
          RunLease.take(lab.trip, {
            holder: "two",
            waiting: ({ holder }) => Effect.sync(() => void waited.push(holder))
          })
        )
      )
      yield* TestClock.adjust("30 seconds")
      assert.isUndefined(second.pollUnsafe())
      yield* leases.release(lab.trip, "one")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(second)).holder, "two")
      assert.deepStrictEqual(waited, ["one"])
    }).pipe(within)
  )

  it.effect("keeps the lease until the last scope of the process is done with the run", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      const found = Effect.map(leases.find(lab.trip), (lease) => lease?.holder)
      const hold = RunLease.take(lab.trip, { holder: "one" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* hold
          yield* Effect.scoped(hold)
          assert.strictEqual(yield* found, "one")
          // A second connection to the same store.
          yield* Effect.scoped(Effect.provideService(hold, Leases.Leases, { ...leases }))
          assert.strictEqual(yield* found, "one")
          // A store that has a run of that name, too.
          const others = yield* Leases.makeMemory
          yield* Effect.scoped(Effect.provideService(hold, Leases.Leases, others))
          assert.isUndefined(yield* others.find(lab.trip))
        })
      )
      assert.isUndefined(yield* found)
    }).pipe(within)
  )

  it.effect("keeps the lease of another scope of the process when it is refused or done waiting", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* leases.acquire(lab.trip, { holder: "other", ttlMillis: 60_000 })
      const hold = RunLease.take(lab.trip, { holder: "one" })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(hold)))._tag, "RunLeased")
      assert.strictEqual((yield* leases.find(lab.trip))?.holder, "other")
      yield* leases.release(lab.trip, "other")
      yield* hold
      yield* Effect.scoped(RunLease.take(lab.trip, { holder: "one", waiting: () => Effect.void }))
      assert.strictEqual((yield* leases.find(lab.trip))?.holder, "one")
    }).pipe(Effect.scoped, within)
  )

  it.effect("gives back a lease that the store has granted to a scope that was interrupted meanwhile", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      const [granted, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const acquire: typeof leases.acquire = (run, asked) =>
        Effect.tap(leases.acquire(run, asked), () =>
          Effect.andThen(Deferred.succeed(granted, undefined), Deferred.await(answered))
        )
      const hold = Effect.scoped(RunLease.take(lab.trip, { holder: "one" })).pipe(
        Effect.provideService(Leases.Leases, { ...leases, acquire })
      )
      const holding = yield* Effect.forkChild(hold)
      yield* Deferred.await(granted)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(holding))
      yield* Effect.yieldNow
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(interrupted)
      assert.isUndefined(yield* leases.find(lab.trip))
    }).pipe(within)
  )

  it.effect("takes a lease of a dead process at once, and that of another process after its time", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* leases.acquire(lab.trip, { holder: "killed", ttlMillis: 60_000 })
      const hold = RunLease.take(lab.trip, { holder: "two", isGone: (holder) => holder === "killed" })
      assert.strictEqual((yield* Effect.scoped(hold)).holder, "two")
      yield* leases.acquire(lab.trip, { holder: "elsewhere", ttlMillis: 60_000 })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(hold)))._tag, "RunLeased")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.scoped(hold)).holder, "two")
    }).pipe(within)
  )
})

describe("a lease that is broken in the middle", () => {
  const places: ReadonlyArray<FaultPoint.PointName> = [
    "append/before",
    "append/committed",
    "effect/before",
    "effect/answered",
    "readback/answered"
  ]

  it.effect.each(places)("lets a second process in, and still nothing is lost or done twice, at %s (L14)", (place) =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const leases = yield* Leases.makeMemory
      const world = new lab.World()
      const broken = yield* Deferred.make<void>()
      const resumes = (holder: string) =>
        lab.as(Layer.merge(lab.process(store, { world, steps: lab.script }), Layer.succeed(Leases.Leases, leases)))(
          Effect.gen(function* () {
            yield* RunLease.take(lab.trip, { holder })
            return yield* Agent.run(yield* lab.open())
          })
        )
      // The first one's lease is taken away when it gets there, and the second one begins.
      let reached = false
      const first = resumes("one").pipe(
        Effect.provideService(FaultPoint.FaultPoint, (at) =>
          Effect.suspend(() => {
            if (reached || at !== place) return Effect.void
            reached = true
            return Effect.andThen(
              Effect.ignore(leases.release(lab.trip, "one")),
              Effect.andThen(Deferred.succeed(broken, undefined), Effect.yieldNow)
            )
          })
        )
      )
      const second = Effect.andThen(Deferred.await(broken), resumes("two"))
      yield* lab.elapsing(Effect.all([first, second], { concurrency: "unbounded" }))
      assert.deepStrictEqual(world.doubled, [])
      assert.deepStrictEqual([...world.effects.keys()].sort(), ["book LX1", "tell ada"])
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          yield* (yield* coordinator.reopen(lab.trip)).resume
          const { divergences, state } = yield* StrictReplay.of(lab.trip)
          assert.deepStrictEqual(divergences, [])
          assert.strictEqual(state.world["spent"], 80)
        })
      )
    })
  )
})
