/** The types of values that come back from the record are what these values are. */
import { assert, describe, expectTypeOf, it } from "vitest"
import { Backstitch, guarded, type Json, type JsonObject, type Recorded } from "../src/Sdk.ts"

interface Seat {
  readonly row: number
  readonly note?: string
  readonly of: { readonly at: Date }
  readonly print: () => string
}

interface Tree {
  readonly at: Date
  readonly children: ReadonlyArray<Tree>
}

const seat: Seat = { row: 1, of: { at: new Date(0) }, print: () => "1" }
const recorded = { row: 1, of: { at: "1970-01-01T00:00:00.000Z" } }

describe("a recorded value", () => {
  it("has the type of what JSON makes of it", () => {
    type Kept = { readonly row: number; readonly note?: string; readonly of: { readonly at: string } }
    expectTypeOf<Recorded<Seat>>().toExtend<Kept>()
    expectTypeOf<Recorded<Seat>["print"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Recorded<ReadonlyArray<Date>>>().toEqualTypeOf<ReadonlyArray<string>>()
    expectTypeOf<Recorded<[1, "a" | null]>>().toEqualTypeOf<[1, "a" | null]>()
    expectTypeOf<Recorded<ReturnType<typeof JSON.parse>>>().toBeAny()
    expectTypeOf<Recorded<string & { readonly brand: "id" }>>().toEqualTypeOf<string & { readonly brand: "id" }>()
    expectTypeOf<Recorded<unknown>>().toBeUnknown()
    expectTypeOf<Recorded<never>>().toBeNever()
    expectTypeOf<Recorded<void>>().toBeVoid()
    expectTypeOf<Recorded<Json>>().toEqualTypeOf<Json>()
    expectTypeOf<Recorded<JsonObject>>().toEqualTypeOf<JsonObject>()
    expectTypeOf<Recorded<Tree>>().toExtend<{ readonly children: ReadonlyArray<{ readonly at: string }> }>()
    // The function of a Response is not there, so the compiler objects to a call of it.
    expectTypeOf<Recorded<Response>["json"]>().toEqualTypeOf<undefined>()
  })

  it("is so at the first call, of a tool and of a step", async () => {
    const contract = { tool: "reserve", input: { row: "int" } }
    await using reserve = guarded(async (_: { row: number }) => seat, { contract, store: "memory:" })
    await using bs = await Backstitch.open({ store: "memory:" })
    const run = await bs.run("trip-42")
    for (const _ of [1, 2]) {
      for (const given of [await reserve({ row: 1 }), await run.step("seat", async () => seat)]) {
        expectTypeOf(given.of.at).toEqualTypeOf<string>()
        assert.deepStrictEqual(given as unknown, recorded)
      }
    }
  })
})
