import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Address } from "../src/index.ts"

const read = (text: string) => Result.getOrThrow(Address.parse(text))
const failure = <E>(result: Result.Result<unknown, E>): E => Result.getOrThrow(Result.flip(result))
const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(99))

describe("Address", () => {
  it("reads a run, a tick, the head, ticks before them, and a field", () => {
    assert.deepStrictEqual(read("trip-42"), { run: "trip-42" })
    assert.deepStrictEqual(read("trip-42@7"), { run: "trip-42", tick: 7 })
    assert.deepStrictEqual(read("trip-42:head"), { run: "trip-42", back: 0 })
    assert.deepStrictEqual(read("trip-42~3"), { run: "trip-42", back: 3 })
    assert.deepStrictEqual(read("trip-42~"), { run: "trip-42", back: 1 })
    assert.deepStrictEqual(read("trip.v2@7~3"), { run: "trip.v2", tick: 7, back: 3 })
    assert.deepStrictEqual(read("trip:head:world.spent"), { run: "trip", back: 0, field: "world.spent" })
    assert.deepStrictEqual(read("trip@7:working.notes"), { run: "trip", tick: 7, field: "working.notes" })
    assert.deepStrictEqual(read("trip:world.spent"), { run: "trip", field: "world.spent" })
  })

  it("refuses an address that names no run, and explains the form of an address", () => {
    for (const text of ["", "@7", "trip@", "trip@x", "trip:tail", "../trip", "trip@7:spent", "trip 7", "trip~-1"]) {
      assert.include(failure(Address.parse(text)).message, `"${text}" names no run. Write RUN, RUN@TICK`)
    }
  })

  it.prop(
    "is read as it is written",
    [Small, Small, Schema.Literals(["", "tick", "back", "both"]), Schema.Boolean],
    ([tick, back, form, hasField]) => {
      const address: Address.Address = {
        run: "trip",
        ...(form === "tick" || form === "both" ? { tick } : {}),
        ...(form === "back" || form === "both" ? { back } : {}),
        ...(hasField ? { field: "world.spent" } : {})
      }
      assert.deepStrictEqual(read(Address.format(address)), address)
    },
    { arbitrary: { runs: 300 } }
  )

  it("counts back from the head, or from the tick that was named", () => {
    const at = (text: string) => Result.getOrThrow(Address.tickOf(read(text), { run: "trip", last: 18 }))
    assert.deepStrictEqual(["trip", "trip:head", "trip~3", "trip@7", "trip@7~3"].map(at), [18, 18, 15, 7, 4])
    assert.deepStrictEqual(["trip@1", "trip~17", "trip@18"].map(at), [1, 1, 18])
    assert.isFalse(Address.namesTick(read("trip")))
    assert.isTrue(Address.namesTick(read("trip:head")))
  })

  it("says which ticks there are when it counts past them", () => {
    for (const text of ["trip~18", "trip@0", "trip@19"]) {
      const { message } = failure(Address.tickOf(read(text), { run: "trip-42", last: 18 }))
      assert.match(message, new RegExp(`^${text} would be tick \\d+, and run trip-42 has ticks 1 to 18$`))
    }
  })

  it("takes the beginning of a name if one run alone has it, and a whole name always", () => {
    const runs = ["trip-42", "trip-43", "order-1", "trip-4"]
    assert.strictEqual(Result.getOrThrow(Address.choose("o", runs)), "order-1")
    assert.strictEqual(Result.getOrThrow(Address.choose("trip-4", runs)), "trip-4")
    assert.isUndefined(Result.getOrThrow(Address.choose("zoo", runs)))
    const ambiguous = failure(Address.choose("trip", runs))
    assert.deepStrictEqual(ambiguous.runs, ["trip-4", "trip-42", "trip-43"])
    assert.include(ambiguous.message, "Write more of the name")
    const many = Array.from({ length: 9 }, (_, index) => `run-${index}`)
    assert.include(failure(Address.choose("run", many)).message, "run-4 and 4 more")
  })

  it("names the missing or superfluous part", () => {
    for (const wanted of ["run", "tick", "place", "field"] as const) {
      assert.include(new Address.AddressUnsuited({ text: "trip@7", wanted }).message, '"trip@7" is not what is asked')
    }
  })
})
