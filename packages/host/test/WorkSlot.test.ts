import * as Pause from "@backstitch/runtime/Pause"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"
import * as WorkSlot from "../src/work/WorkSlot.ts"

describe("WorkSlot", () => {
  it.effect("gives its place to others while its work pauses, and waits for one to go on", () =>
    Effect.gen(function* () {
      const slots = yield* Semaphore.make(1)
      const seen: Array<string> = []
      const say = (text: string) => Effect.sync(() => void seen.push(text))
      const one = WorkSlot.within(
        slots,
        Effect.never
      )(Effect.andThen(say("one begins"), Effect.andThen(Pause.millis(1000), say("one ends"))))
      const other = WorkSlot.within(slots, Effect.never)(say("other"))
      const fibers = yield* Effect.all([Effect.forkChild(one), Effect.forkChild(other)])
      yield* TestClock.adjust(1000)
      yield* Effect.all(fibers.map((fiber) => Fiber.join(fiber)))
      assert.deepStrictEqual(seen, ["one begins", "other", "one ends"])
    })
  )

  it.effect("ends a pause when its run is given up, and counts no place twice", () =>
    Effect.gen(function* () {
      const slots = yield* Semaphore.make(1)
      const leaving = yield* Deferred.make<void>()
      const work = WorkSlot.within(slots, Deferred.await(leaving))(Pause.millis(1_000_000))
      const fiber = yield* Effect.forkChild(work)
      yield* TestClock.adjust(1)
      yield* Deferred.succeed(leaving, undefined)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.strictEqual(yield* slots.releaseAll, 1)
    })
  )
})
