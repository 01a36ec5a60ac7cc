import * as Pause from "@backstitch/runtime/Pause"
import { make, type Tenant } from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as WorkSlot from "../src/work/WorkSlot.ts"

const [acme, globex, initech] = ["acme", "globex", "initech"].map((tenant) => make("any", tenant).tenant) as [
  Tenant,
  Tenant,
  Tenant
]

/** Runs of tenants that work until they are told to end, and those that have begun. */
const working = (slots: WorkSlot.WorkSlots) => {
  const begun: Array<string> = []
  const begin = (tenant: Tenant, count: number) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        const work = Effect.andThen(
          Effect.sync(() => void begun.push(tenant)),
          Deferred.await(end)
        )
        const fiber = yield* Effect.forkChild(WorkSlot.within(slots, tenant, Effect.never)(work))
        yield* TestClock.adjust(1)
        return { end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)), fiber }
      })
    )
  return { begin, begun, of: (tenant: Tenant) => begun.filter((each) => each === tenant).length }
}

describe("WorkSlot", () => {
  it.effect("gives its place to others while its work pauses, and waits for one to go on", () =>
    Effect.gen(function* () {
      const slots = yield* WorkSlot.make(1)
      const seen: Array<string> = []
      const say = (text: string) => Effect.sync(() => void seen.push(text))
      const one = WorkSlot.within(
        slots,
        acme,
        Effect.never
      )(Effect.andThen(say("one begins"), Effect.andThen(Pause.millis(1000), say("one ends"))))
      const other = WorkSlot.within(slots, acme, Effect.never)(say("other"))
      const fibers = yield* Effect.all([Effect.forkChild(one), Effect.forkChild(other)])
      yield* TestClock.adjust(1000)
      yield* Effect.all(fibers.map((fiber) => Fiber.join(fiber)))
      assert.deepStrictEqual(seen, ["one begins", "other", "one ends"])
    })
  )

  it.effect("ends a pause when its run is given up, and counts no place twice", () =>
    Effect.gen(function* () {
      const slots = yield* WorkSlot.make(1)
      const leaving = yield* Deferred.make<void>()
      const work = WorkSlot.within(slots, acme, Deferred.await(leaving))(Pause.millis(1_000_000))
      const fiber = yield* Effect.forkChild(work)
      yield* TestClock.adjust(1)
      yield* Deferred.succeed(leaving, undefined)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      const { begin, begun } = working(slots)
      yield* begin(globex, 2)
      assert.lengthOf(begun, 1)
    })
  )

  it.effect("keeps no tenant from work, however many runs another has begun before", () =>
    Effect.gen(function* () {
      const { begin, begun, of } = working(yield* WorkSlot.make(8))
      const runs = yield* begin(acme, 20)
      assert.strictEqual(of(acme), 7)
      yield* begin(globex, 3)
      assert.strictEqual(of(globex), 1)
      // The next places go to tenants in turn, and not to those who came first.
      yield* begin(initech, 1)
      for (const { end } of runs.slice(0, 4)) yield* end
      yield* TestClock.adjust(1)
      assert.strictEqual(of(initech), 1)
      assert.isAtLeast(of(globex), 2)
      assert.lengthOf(begun, 12)
    })
  )

  it.effect("lets a tenant have all of few places, and forgets runs that are given up while they wait", () =>
    Effect.gen(function* () {
      const { begin, begun, of } = working(yield* WorkSlot.make(2))
      const [first, second, ...waiting] = yield* begin(acme, 5)
      assert.strictEqual(of(acme), 2)
      for (const { fiber } of waiting) yield* Fiber.interrupt(fiber)
      yield* begin(globex, 1)
      for (const run of [first!, second!]) yield* run.end
      yield* begin(globex, 1)
      assert.deepStrictEqual(begun, [acme, acme, globex, globex])
    })
  )
})
