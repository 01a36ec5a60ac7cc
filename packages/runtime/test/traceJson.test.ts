import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { toTraceJson } from "../src/ports/traceJson.ts"

/** As JSON carries it; what JSON writes as an escape is half a character. */
const carried = (value: unknown): string =>
  JSON.stringify(JSON.parse(JSON.stringify(value).replace(/(?<!\\)\\ud[89a-f][0-9a-f]{2}/g, "\ufffd")))

describe("traceJson", () => {
  it.prop("carries every value of JSON as JSON does, and shares nothing with it", [Schema.Json], ([value]) => {
    const given = { value }
    const copy = toTraceJson(given)
    assert.strictEqual(JSON.stringify(copy), carried(given))
    assert.notStrictEqual(copy, given)
  })

  it("carries values that are no JSON in the way of JSON", () => {
    class Point {
      readonly x = 1
    }
    const given = {
      at: new Date(0),
      gap: [undefined, 1],
      left: undefined,
      none: Number.NaN,
      point: new Point(),
      zero: -0
    }
    const copy = toTraceJson(given)
    assert.strictEqual(JSON.stringify(copy), carried(given))
    assert.isTrue(Object.is((copy as { readonly zero: number }).zero, 0))
  })

  it("keeps a field that is called __proto__, and mends half a character", () => {
    const copy = toTraceJson({ ...JSON.parse('{"__proto__":1}'), half: "\ud800", ["\udc00"]: true })
    assert.strictEqual(JSON.stringify(copy), '{"__proto__":1,"half":"�","�":true}')
  })

  it("throws for an object of which JSON would keep nothing, and names it", () => {
    const kinds = [new Map([[1, 2]]), new Set([1]), new Response("x"), new Error("x"), Promise.resolve(1), /x/]
    for (const value of kinds) {
      assert.throws(() => toTraceJson({ in: [value] }), `JSON carries nothing of a ${value.constructor.name} in it`)
      assert.throws(() => toTraceJson(value), "JSON carries nothing")
    }
    const data = [
      {},
      Object.create(null),
      new (class Empty {})(),
      Object(1),
      Object("x"),
      new Uint8Array(0),
      new Date(0)
    ]
    for (const value of data) assert.strictEqual(JSON.stringify(toTraceJson({ value })), carried({ value }))
  })

  it("throws for a value that is deeper than a trace may be", () => {
    let deep: unknown = 1
    for (let level = 0; level <= 100; level++) deep = [deep]
    assert.throws(() => toTraceJson(deep), /nests more than 100 levels/)
  })
})
