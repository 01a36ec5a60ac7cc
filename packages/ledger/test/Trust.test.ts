import { assert, describe, it } from "@effect/vitest"
import * as Trust from "../src/machine/Trust.ts"

describe("Trust", () => {
  it("climbs one level with each kind of evidence", () => {
    assert.deepStrictEqual(
      (["none", "word", "record", "confirmed"] as const).map((evidence) => Trust.of(evidence)),
      [0, 1, 2, 3]
    )
  })

  it("trusts a confirmation by too few like a record, which is not believed", () => {
    assert.strictEqual(Trust.of("confirmed", { isEnough: false }), Trust.of("record"))
    assert.isBelow(Trust.of("record"), Trust.believable)
    assert.strictEqual(Trust.of("confirmed", { isEnough: true }), Trust.believable)
  })

  it("adds nothing to a word by counting", () => {
    for (const isEnough of [true, false]) assert.strictEqual(Trust.of("word", { isEnough }), 1)
  })
})
