import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Pause from "../src/ports/Pause.ts"
import * as lab from "./lab.ts"

describe("Pause", () => {
  it.effect("sleeps by default", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Pause.millis(1000))
      yield* TestClock.adjust(999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
    })
  )

  it.effect("is asked of whoever provides another way, while a run waits until it may ask again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      world.faults.push("never")
      const waits: Array<number> = []
      const pause = (millis: number) =>
        Effect.suspend(() => {
          waits.push(millis)
          return Effect.sleep(millis)
        })
      const booked = Effect.flatMap(lab.open(), (handle) => handle.propose(lab.book("LX1")))
      const process = lab.as(lab.process(store, { world }))
      const outcome = yield* lab.elapsing(process(Effect.provideService(booked, Pause.Pause, pause)))
      assert.strictEqual(outcome._tag, "Done")
      assert.isTrue(waits.some((millis) => millis > 0))
    })
  )
})
