import { assert, describe, it } from "@effect/vitest"
import * as Spelling from "../src/values/Spelling.ts"

describe("Spelling", () => {
  it("finds the nearest known word, at most two changes away and never another word altogether", () => {
    assert.strictEqual(Spelling.nearest("readbak", ["undo", "readback", "status"]), "readback")
    assert.strictEqual(Spelling.nearest("STATUS", ["undo", "status"]), "status")
    assert.isUndefined(Spelling.nearest("redbk1", ["readback"]))
    assert.isUndefined(Spelling.nearest("to", ["undo"]))
    assert.isUndefined(Spelling.nearest("undo", []))
  })

  it("finds names that differ by a letter or two, or that begin with one another, three at most", () => {
    assert.deepStrictEqual(Spelling.similar("trp", ["trip", "other", "TRIP"]), ["trip", "TRIP"])
    const many = ["trip-1", "trip-2", "trip-3", "trip-4"]
    assert.deepStrictEqual(Spelling.similar("trip", many), ["trip-1", "trip-2", "trip-3"])
    assert.deepStrictEqual(Spelling.similar("zzz", ["trip"]), [])
  })
})
