import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FlatEvent from "../src/history/FlatEvent.ts"
import * as RunEvents from "../src/projections/RunEvents.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const events = (wanted: RunEvents.EventSelection = {}) =>
  Effect.gen(function* () {
    const selected = yield* RunEvents.select(lab.trip, wanted)
    const found: Array<ReturnType<typeof RunEvents.event>> = []
    yield* RunEvents.walk(selected, (step, head) => void found.push(RunEvents.event(selected, step, head)))
    return { found, selected }
  })

const travelled = <A, E>(effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof events>>>) =>
  Effect.flatMap(journey.travelled(), ({ process }) => lab.as(process)(effect))

describe("RunEvents", () => {
  it.effect("tells every tick with every field if nothing is limited", () =>
    travelled(
      Effect.gen(function* () {
        const { found, selected } = yield* events()
        assert.strictEqual(found.length, selected.head.tick)
        for (const event of found) assert.deepStrictEqual(Object.keys(event), [...FlatEvent.fields])
      })
    )
  )

  it.effect("tells the ticks, types and fields that were asked for, and no others", () =>
    travelled(
      Effect.gen(function* () {
        const all = (yield* events({ fields: ["tick", "transition_type"] })).found
        const wanted = { from: 2, to: all.length - 1, types: ["action.request"], fields: ["tick", "transition_type"] }
        const expected = all.slice(1, -1).filter((event) => event["transition_type"] === "action.request")
        assert.isAbove(expected.length, 0)
        assert.deepStrictEqual((yield* events(wanted)).found, expected)
        assert.lengthOf((yield* events({ types: ["acme.note"] })).found, 0)
      })
    )
  )

  it.effect("refuses a tick, a range, a type and a field that do not exist", () =>
    travelled(
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [RunEvents.EventSelection, string, string]> = [
          [{ from: 0 }, "TickOutOfRange", "0"],
          [{ to: 9999 }, "TickOutOfRange", "9999"],
          [{ from: 4, to: 2 }, "RangeReversed", "from 4 to 2"],
          [{ types: ["action.requests"] }, "AskedUnknown", "action.request"],
          [{ fields: ["tick", "ticks"] }, "AskedUnknown", 'no field "ticks". Did you mean tick?']
        ]
        for (const [wanted, tag, says] of cases) {
          const refused = yield* Effect.flip(RunEvents.select(lab.trip, wanted))
          assert.strictEqual(refused._tag, tag)
          assert.include(refused.message, says)
        }
      })
    )
  )
})
