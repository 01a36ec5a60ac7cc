import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AddressLookup from "../src/history/AddressLookup.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const { tenant } = lab.trip

const inStore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(journey.travelled(), ({ process }) =>
    lab.as(process)(
      Effect.gen(function* () {
        for (const id of ["trip-b", "other-a", "other-b"]) {
          yield* Forking.fork({ parent: lab.trip, at: 8, child: Run.make(id) })
        }
        return yield* effect
      })
    )
  )

describe("AddressLookup", () => {
  it.effect("finds a run by its name, and by the beginning of it if it is the only one", () =>
    inStore(
      Effect.gen(function* () {
        const names = ["trip", "trip-", "other-b"]
        const found = yield* Effect.forEach(names, (name) => AddressLookup.whole(name, tenant))
        assert.deepStrictEqual(
          found.map(({ id }) => id),
          ["trip", "trip-b", "other-b"]
        )
        assert.strictEqual((yield* Effect.flip(AddressLookup.whole("oth", tenant)))._tag, "RunAmbiguous")
        assert.strictEqual((yield* Effect.flip(AddressLookup.whole("trap", tenant)))._tag, "RunUnknown")
        assert.strictEqual((yield* Effect.flip(AddressLookup.whole("../trip", tenant)))._tag, "AddressInvalid")
      })
    )
  )

  it.effect("finds the tick, from the head backwards or as it is named", () =>
    inStore(
      Effect.gen(function* () {
        const tick = (text: string) => Effect.map(AddressLookup.place(text, tenant), (place) => place.tick)
        assert.strictEqual(yield* tick("trip-b:head"), 9)
        assert.strictEqual(yield* tick("trip-b~3"), 6)
        assert.strictEqual(yield* tick("trip-b@4"), 4)
        assert.isUndefined(yield* tick("trip-b"))
        const { field } = yield* AddressLookup.artifact("trip-b@4:world.spent", tenant)
        assert.strictEqual(field, "world.spent")
        const refused = yield* Effect.flip(AddressLookup.place("trip-b@4:world.spent", tenant))
        assert.strictEqual(refused._tag, "AddressUnsuited")
        assert.strictEqual((yield* Effect.flip(AddressLookup.whole("trip-b@4", tenant)))._tag, "AddressUnsuited")
        assert.include((yield* Effect.flip(AddressLookup.place("trip-b~9", tenant))).message, "ticks 1 to 9")
      })
    )
  )
})
