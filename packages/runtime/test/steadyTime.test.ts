/** The time of a process: it never runs backwards, and it knows when a clock was set forward. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SteadyTime from "../src/engine/steadyTime.ts"

/** A clock that somebody sets, beside one that nobody can set. */
const scene = (floor = 0) => {
  const at = { wall: 1_000_000, steady: 5_000 }
  const passes = (millis: number) => {
    at.wall += millis
    at.steady += millis
  }
  const { leaps, now } = SteadyTime.make(() => floor)
  const look = Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(now, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => at.wall,
      monotonicTimeNanosUnsafe: () => BigInt(at.steady) * 1_000_000n
    } as Clock.Clock)
  )
  return { at, leaps, look, passes }
}

describe("the time of a process", () => {
  it.effect("is the clock's as long as that goes on as time does", () =>
    Effect.gen(function* () {
      const { leaps, look, passes } = scene()
      assert.strictEqual(yield* look, 1_000_000)
      passes(3_600_000)
      assert.strictEqual(yield* look, 4_600_000)
      assert.deepStrictEqual(leaps(), [])
    })
  )

  it.effect("follows a clock that is set forward, and remembers by how much it leapt", () =>
    Effect.gen(function* () {
      const { at, leaps, look, passes } = scene()
      yield* look
      passes(500)
      at.wall += 3_600_000
      assert.strictEqual(yield* look, 4_600_500)
      assert.deepStrictEqual(leaps(), [{ at: 4_600_500, millis: 3_600_000 }])
    })
  )

  it.effect("goes on while a clock is set back, and takes the way forward again for no leap", () =>
    Effect.gen(function* () {
      const { at, leaps, look, passes } = scene()
      yield* look
      at.wall -= 3_600_000
      passes(2000)
      assert.strictEqual(yield* look, 1_002_000)
      at.wall += 3_600_000
      passes(1000)
      assert.strictEqual(yield* look, 1_003_000)
      assert.deepStrictEqual(leaps(), [])
    })
  )

  it.effect("does not take the corrections of a clock for leaps, nor where a run stood when it was opened", () =>
    Effect.gen(function* () {
      const { at, leaps, look, passes } = scene(2_000_000)
      assert.strictEqual(yield* look, 2_000_000)
      passes(100)
      at.wall += 20
      yield* look
      assert.deepStrictEqual(leaps(), [])
    })
  )
})
