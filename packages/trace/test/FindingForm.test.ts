import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as FindingForm from "../src/transition/FindingForm.ts"
import * as Payload from "../src/transition/Payload.ts"

const codes = { "seat.taken": Payload.closed({ by: Schema.String }), "seat.unknown": Payload.Nothing } as const
const fits = Payload.checker(FindingForm.schema(codes))

describe("FindingForm", () => {
  it("is a code of words and points, with arguments and nothing beside them", () => {
    for (const code of ["seat.taken", "a_b.c", "a.b.c_d"]) assert.isTrue(FindingForm.isCode(code), code)
    for (const code of ["seat", "Seat.taken", "seat taken", "seat.", "seat..taken", "it is taken."]) {
      assert.isFalse(FindingForm.isCode(code), code)
    }
    assert.isTrue(FindingForm.isFinding({ args: {}, code: "seat.taken" }))
    for (const value of [null, "seat.taken", { code: "seat.taken" }, { args: {}, code: "taken", more: 1 }]) {
      assert.isFalse(FindingForm.isFinding(value))
    }
  })

  it("fits one of the codes that are declared, with its own arguments", () => {
    assert.isUndefined(fits(FindingForm.maker(codes)("seat.taken", { by: "ada" })))
    assert.isUndefined(fits({ args: {}, code: "seat.unknown" }))
    assert.isDefined(fits({ args: {}, code: "seat.taken" }))
    assert.isDefined(fits({ args: { by: "ada" }, code: "seat.unknown" }))
    assert.isDefined(fits({ args: {}, code: "seat.lost" }))
  })
})
