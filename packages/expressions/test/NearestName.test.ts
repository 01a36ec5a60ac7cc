import { assert, describe, it } from "@effect/vitest"
import * as NearestName from "../src/values/NearestName.ts"

describe("NearestName", () => {
  it("finds the nearest known word, at most two changes away and never another word altogether", () => {
    assert.strictEqual(NearestName.nearest("readbak", ["undo", "readback", "status"]), "readback")
    assert.strictEqual(NearestName.nearest("STATUS", ["undo", "status"]), "status")
    assert.isUndefined(NearestName.nearest("redbk1", ["readback"]))
    assert.isUndefined(NearestName.nearest("to", ["undo"]))
    assert.isUndefined(NearestName.nearest("undo", []))
  })

  it("finds names that differ by a letter or two, or that begin with one another, three at most", () => {
    assert.deepStrictEqual(NearestName.similar("trp", ["trip", "other", "TRIP"]), ["trip", "TRIP"])
    const many = ["trip-1", "trip-2", "trip-3", "trip-4"]
    assert.deepStrictEqual(NearestName.similar("trip", many), ["trip-1", "trip-2", "trip-3"])
    assert.deepStrictEqual(NearestName.similar("zzz", ["trip"]), [])
  })
})
