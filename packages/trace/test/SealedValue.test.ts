import { assert, describe, it } from "@effect/vitest"
import * as SealedValue from "../src/transition/SealedValue.ts"

const salt = "ab".repeat(32)

describe("SealedValue", () => {
  it("commits alike to equal values under one salt, whatever the order of their fields", () => {
    const one = SealedValue.commit(salt, { a: 1, b: "x" })
    assert.strictEqual(SealedValue.commit(salt, { b: "x", a: 1 }), one)
    assert.notStrictEqual(SealedValue.commit(salt, { a: 2, b: "x" }), one)
    assert.notStrictEqual(SealedValue.commit("ac".repeat(32), { a: 1, b: "x" }), one)
  })

  it("keeps the bytes of a commitment for ever", () => {
    assert.strictEqual(
      SealedValue.commit(salt, "X1234567"),
      "e2856c6b669835f2b46ab9379aa275b050c375b20dd0c71f39ffe054a89cf28b"
    )
  })

  it("is told from values that only look like it", () => {
    const $sealed = SealedValue.commit(salt, 1)
    assert.isTrue(SealedValue.isSealedValue({ $sealed }))
    assert.isTrue(SealedValue.isSealedValue({ $sealed, facts: { adult: true } }))
    for (const other of [null, 1, "x", {}, [], { $sealed: "abc" }, { $sealed: 7 }, { sealed: $sealed }]) {
      assert.isFalse(SealedValue.isSealedValue(other), JSON.stringify(other))
    }
  })

  it("is found at every depth of a value or a text, each once", () => {
    const one = SealedValue.commit(salt, 1)
    const two = SealedValue.commit(salt, 2)
    const value = { a: [{ $sealed: two }, "x"], b: { c: { $sealed: one } }, d: { $sealed: two } }
    assert.deepStrictEqual(SealedValue.commitments(value), [two, one])
    assert.deepStrictEqual(SealedValue.commitmentsIn(JSON.stringify(value)), [two, one])
    assert.deepStrictEqual(SealedValue.commitmentsIn('{"a":"$sealed"}'), [])
  })
})
