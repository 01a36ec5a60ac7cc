import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as journey from "../../runtime/test/journey.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as Fixture from "../src/Fixture.ts"

const made = Effect.gen(function* () {
  const { process } = yield* journey.travelled()
  return yield* lab.as(process)(Fixture.make(lab.trip, { trace: "trip.trace.jsonl" }))
})

describe("Fixture", () => {
  it.effect("makes a trace that comes to the same again, without any service", () =>
    Effect.gen(function* () {
      const { outcome, test, trace } = yield* made
      assert.isAbove(outcome.ticks, 10)
      assert.property(outcome.held, "over")
      assert.deepStrictEqual(yield* Effect.promise(() => Fixture.play({ trace })), outcome)
      assert.include(test, "run trip folds to what it committed")
      assert.include(test, outcome.state)
    })
  )

  it("names the packages that its test does not find from a folder, also from one that is not there yet", () => {
    assert.deepStrictEqual(Fixture.missing(join(import.meta.dirname, "new")), [])
    assert.include(Fixture.missing(join(tmpdir(), "new")), "@backstitch/release")
  })

  it.effect("refuses a trace in which a byte was changed", () =>
    Effect.gen(function* () {
      const { trace } = yield* made
      const failed = yield* Effect.flip(
        Effect.tryPromise(() => Fixture.play({ trace: trace.replace("mood 9", "mood 8") }))
      )
      assert.include(String(failed.cause), "link")
    })
  )
})
