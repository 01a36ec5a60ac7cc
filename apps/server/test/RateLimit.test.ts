import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as RateLimit from "../src/caller/RateLimit.ts"
import * as Limits from "../src/Limits.ts"

const perSecond = 10

describe("RateLimit", () => {
  it.effect("answers a caller that asks a little too often at the rate, and refuses the rest", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimit.make
      const taken = Effect.map(Effect.result(take("k1")), Result.isSuccess)
      const burst = yield* Effect.forEach(
        Array.from({ length: perSecond * Limits.refusing.burstSecondsMax }),
        () => taken
      )
      assert.isTrue(burst.every((each) => each))
      assert.isFalse(yield* taken)

      const after = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.andThen(TestClock.adjust("80 millis"), taken)
      )
      // Four seconds, in which the bucket takes ten a second: a request that is refused takes nothing.
      assert.strictEqual(after.filter((each) => each).length, 40)
      assert.isTrue(Result.isSuccess(yield* Effect.result(take("another"))))
    }).pipe(Effect.provideService(RateLimit.Rate, perSecond))
  )
})
