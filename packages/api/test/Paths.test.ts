import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import * as Paths from "../src/form/Paths.ts"
import * as WriteHeaders from "../src/form/WriteHeaders.ts"
import * as Limits from "../src/Limits.ts"

describe("Paths", () => {
  it("reads ticks and limits from 1 on, and no other text", () => {
    assert.strictEqual(Schema.decodeUnknownSync(Paths.Tick)("14"), 14)
    for (const text of ["0", "-1", "1.5", "1e400", "NaN", "", " ", "0x10", "1e1", "0x10000000000", "many"]) {
      assert.throws(() => Schema.decodeUnknownSync(Paths.Tick)(text), undefined, undefined, text)
    }
    assert.throws(() => Schema.decodeUnknownSync(Paths.Limit)(String(Limits.refusing.pageItemsMax + 1)))
  })
})

describe("names and texts of people", () => {
  it("are whole characters, and a name has none that control", () => {
    const isName = Schema.is(Paths.Name)
    assert.isTrue(isName("Zoë 👩‍🚀"))
    for (const name of ["\ud800", "a\0b", "a\nb", "\u0085", ""]) assert.isFalse(isName(name), JSON.stringify(name))
    assert.isTrue(Schema.is(Paths.Text)("one line\nand another"))
    assert.isFalse(Schema.is(Paths.Text)("half of one: \udc00"))
  })
})

describe("Writing", () => {
  it("writes a tick as an ETag, and reads it back", () => {
    assert.strictEqual(WriteHeaders.tickOf(WriteHeaders.etag(14)), 14)
    const headers = Schema.Struct(WriteHeaders.headers)
    for (const etag of ["14", "*", '""', '"-1"', '"99999999999"']) {
      assert.throws(() => Schema.decodeUnknownSync(headers)({ "if-match": etag }), undefined, undefined, etag)
    }
  })
})
