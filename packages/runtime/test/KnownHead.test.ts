import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as KnownHead from "../src/proof/KnownHead.ts"

const link = "ab".repeat(32)

describe("KnownHead", () => {
  it("reads a link, alone or behind its tick, and nothing else", () => {
    assert.deepStrictEqual(Result.getOrThrow(KnownHead.parse(link)), { link, tick: undefined })
    assert.deepStrictEqual(Result.getOrThrow(KnownHead.parse(`7:${link}`)), { link, tick: 7 })
    for (const text of ["", "7", "7:", `0:${link}`, `-1:${link}`, link.slice(1), link.toUpperCase(), `7:7:${link}`]) {
      assert.isTrue(Result.isFailure(KnownHead.parse(text)), text)
    }
  })

  it("is a head of that link and, if the tick is known, of that tick", () => {
    assert.isTrue(KnownHead.is({ link, tick: undefined }, { link, tick: 3 }))
    assert.isTrue(KnownHead.is({ link, tick: 3 }, { link, tick: 3 }))
    assert.isFalse(KnownHead.is({ link, tick: 4 }, { link, tick: 3 }))
    assert.isFalse(KnownHead.is({ link: "cd".repeat(32), tick: 3 }, { link, tick: 3 }))
  })
})
