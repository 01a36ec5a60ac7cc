import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Container from "../src/values/Container.ts"

describe("Container", () => {
  it("tells tables, lists and plain objects apart, and takes no other value for one of them", () => {
    const kindOf = (value: unknown) => [Container.isTable(value), Container.isList(value), Container.isRecord(value)]
    assert.deepStrictEqual(kindOf(Table.from([["a", 1]])), [true, false, false])
    assert.deepStrictEqual(kindOf(List.from([1])), [false, true, false])
    assert.deepStrictEqual(kindOf({ a: 1 }), [false, false, true])
    for (const value of [null, undefined, [], new Date(0), "a", 1]) {
      assert.deepStrictEqual(kindOf(value), [false, false, false])
    }
  })
})
