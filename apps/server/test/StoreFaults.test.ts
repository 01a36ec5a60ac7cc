import { TraceStoreError } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as Limits from "../src/Limits.ts"
import * as StoreFaults from "../src/upkeep/StoreFaults.ts"

const failure = (given: Partial<ConstructorParameters<typeof TraceStoreError>[0]>) =>
  new TraceStoreError({ operation: "append", reason: "full", store: "trace.db", cause: "", ...given })

/** Logs failures of a store, and answers the lines. */
const logged = (errors: ReadonlyArray<unknown>, pauseMillis = 0) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const keep = Logger.make(({ message }) => void lines.push(String(message)))
    const log = (error: unknown) => Effect.andThen(StoreFaults.log(error), TestClock.adjust(pauseMillis))
    const layer = Layer.merge(StoreFaults.layer, Logger.layer([keep]))
    yield* Effect.provide(Effect.forEach(errors, log), layer)
    return lines
  })

describe("StoreFaults", () => {
  it.effect("tells the operator why the store failed, once for each reason, and again after a while", () =>
    Effect.gen(function* () {
      const [first = "", ...more] = yield* logged([failure({ run: "a" }), failure({ run: "b" }), failure({})])
      assert.match(first, /Could not append to run a of trace\.db: the disk is full/)
      assert.lengthOf(more, 0)
      assert.lengthOf(yield* logged([failure({}), failure({ reason: "readonly" }), failure({ operation: "notes" })]), 3)
      assert.lengthOf(yield* logged([failure({}), failure({})], Limits.pacing.storeFaultMillis), 2)
    })
  )

  it.effect("says nothing of another failure, and quotes no driver about what nobody foresaw", () =>
    Effect.gen(function* () {
      const cause = Object.assign(new Error('invalid input: "the secret"'), { code: "22P02" })
      const [line = "", ...more] = yield* logged([new Error("odd"), failure({ reason: "other", cause })])
      assert.lengthOf(more, 0)
      assert.include(line, "22P02")
      assert.notInclude(line, "the secret")
    })
  )
})
