import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { StoreWords } from "../src/said/StoreWords.ts"

const { index, secrets, sharing }: StoreWords = English.words.stores

describe("StoreWords", () => {
  it("have a sentence of its own for each relation of a secret to a store", () => {
    const told = Object.values(secrets)
    assert.strictEqual(new Set(told).size, told.length)
  })

  it("name the runs in which equal values are known, and both owners of a name", () => {
    assert.match(sharing(["trip", "tour"]), /^trip, tour \| /)
    const differs = index.differs({ index: "nobody", name: "k1", namespace: "key", traces: "a4 of trip" })
    assert.strictEqual(differs, 'key "k1" is held by a4 of trip, and the index says nobody')
  })
})
