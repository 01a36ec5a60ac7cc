import * as Run from "@backstitch/trace/Run"
import * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as RepeatedWrites from "../src/access/RepeatedWrites.ts"
import * as Limits from "../src/Limits.ts"

const request = { tenant: Run.make("any", "acme").tenant, name: "pay-4711", digest: "a".repeat(64) }
const answer = { status: 200, body: "done" }
const write = (act: Effect.Effect<WriteAnswers.WriteAnswer>) => RepeatedWrites.once(request, () => true, act)

describe("RepeatedWrites", () => {
  it.effect("holds the name of a write that is under way, and carries it out again once its process has gone", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.forkChild(write(Effect.never))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(write(Effect.succeed(answer))))._tag, "IdempotencyUnderway")
      yield* TestClock.adjust(Limits.pacing.writeHeldMillis)
      assert.deepStrictEqual(yield* write(Effect.succeed(answer)), answer)
      yield* Fiber.interrupt(gone)
      assert.deepStrictEqual(yield* write(Effect.die("carried out twice")), answer)
    }).pipe(Effect.provide(WriteAnswers.layerMemory))
  )

  it.effect("keeps an answer for a day, and then deletes it", () =>
    Effect.gen(function* () {
      yield* write(Effect.succeed(answer))
      yield* TestClock.adjust(Limits.pacing.answerKeptMillis - 1)
      assert.strictEqual(yield* RepeatedWrites.expire(), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* RepeatedWrites.expire(), 1)
    }).pipe(Effect.provide(WriteAnswers.layerMemory))
  )
})
