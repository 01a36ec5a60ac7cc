import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as Blaming from "../src/versioning/Blaming.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** Every tick at which the mood became another, latest first, found by looking at each. */
const moods = Effect.gen(function* () {
  const history = yield* History.History
  const { head } = yield* history.info(lab.trip)
  const found: Array<number> = []
  let before: unknown
  for (let tick = 1; tick <= head.tick; tick++) {
    const { mood } = (yield* history.at(lab.trip, tick)).state.working
    if (mood !== before) found.unshift(tick)
    before = mood
  }
  return found
})

describe("Blaming", () => {
  it.effect.each([2, 5, 1000])(
    "finds every setting, and the last one, with a snapshot every %d ticks",
    (snapshotEvery) =>
      Effect.gen(function* () {
        const { process } = yield* journey.travelled({ snapshotEvery })
        yield* lab.as(process)(
          Effect.gen(function* () {
            const expected = yield* moods
            const all = yield* Blaming.blame({ run: lab.trip }, "working.mood", { history: true })
            assert.deepStrictEqual(
              all.settings.map(({ tick }) => tick),
              expected
            )
            const last = yield* Blaming.blame({ run: lab.trip }, "working.mood")
            assert.deepStrictEqual(
              last.settings.map(({ tick }) => tick),
              expected.slice(0, 1)
            )
            assert.strictEqual(last.value, last.settings[0]!.after)
            assert.isAtMost(last.folded, all.folded)
          })
        )
      })
  )

  it.effect("reads no further back than the segment that set it", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled({ snapshotEvery: 2 })
      const { folded, tick } = yield* lab.as(process)(Blaming.blame({ run: lab.trip }, "working.mood"))
      assert.isBelow(folded, tick)
    })
  )

  it.effect("blames a row of a table on the action that put it there, as of an earlier tick", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const { settings } = yield* Blaming.blame({ run: lab.trip }, "/world/bookings/book LX1/price")
          assert.deepInclude(settings[0], { type: "action.reconciled", author: "kernel", about: "book", after: 80 })
          const before = yield* Effect.flip(
            Blaming.blame({ run: lab.trip, tick: settings[0]!.tick - 1 }, "/world/bookings/book LX1")
          )
          assert.include(before.message, `tick ${settings[0]!.tick} was the first to`)
        })
      )
    })
  )

  it.effect("refuses a place that is no field", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const error = yield* lab.as(process)(Effect.flip(Blaming.blame({ run: lab.trip }, "spent")))
      assert.strictEqual(error._tag, "FieldInvalid")
    })
  )
})
