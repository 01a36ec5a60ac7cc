import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { toTraceArguments, toTraceJson } from "../src/ports/traceJson.ts"

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
      assert.throws(() => toTraceJson({ in: [value] }), `JSON does not carry the ${value.constructor.name} at in[0]`)
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

  it("throws for a value that JSON would make another one, and names its place", () => {
    const shared = { rate: 1 }
    const values: ReadonlyArray<readonly [unknown, string]> = [
      [{ rate: Number.NaN }, "JSON does not carry the NaN at rate"],
      [{ rates: [1, { low: Number.NEGATIVE_INFINITY }] }, "JSON does not carry the -Infinity at rates[1].low"],
      [{ "": Object(Number.POSITIVE_INFINITY) }, "JSON carries nothing of a Infinity in it"],
      [{ first: shared, at: new Date(Number.NaN) }, "JSON does not carry the invalid Date at at"],
      [{ shared, bytes: new Float64Array([1, Number.NaN]) }, "JSON does not carry the NaN at bytes.1"],
      [{ written: { toJSON: () => ({ rate: Number.NaN }) } }, "JSON does not carry the NaN at written.rate"],
      [{ ["x".repeat(3000)]: Number.NaN }, `JSON does not carry the NaN at ${"x".repeat(2000)}…`],
      [Number.NaN, "JSON carries nothing of a NaN in it"]
    ]
    for (const [value, said] of values) {
      assert.throws(() => toTraceJson(value), said)
      assert.throws(() => toTraceArguments(value), said)
    }
    assert.deepStrictEqual(toTraceJson({ at: { toJSON: () => null } }), { at: null })
  })

  it("throws for a part of arguments that JSON would drop, and leaves out a field that is undefined", () => {
    const values: ReadonlyArray<readonly [unknown, string]> = [
      [{ done: () => 1 }, "JSON does not carry the function at done"],
      [{ of: { tag: Symbol("tag") } }, "JSON does not carry the symbol at of.tag"],
      [{ to: ["a", undefined] }, "JSON does not carry the undefined at to[1]"],
      [{ to: new Array(1) }, "JSON does not carry the undefined at to[0]"],
      [{ to: [Symbol("to")] }, "JSON does not carry the symbol at to[0]"],
      [() => 1, "JSON carries nothing of a function in it"]
    ]
    for (const [value, said] of values) {
      assert.throws(() => toTraceArguments(value), said)
      assert.strictEqual(JSON.stringify(toTraceJson(value)), JSON.stringify(value) ?? "null")
    }
    assert.deepStrictEqual(toTraceArguments({ to: "a", at: undefined, on: new Date(0) }), {
      to: "a",
      on: "1970-01-01T00:00:00.000Z"
    })
  })

  it("throws for half of a character in arguments, which tell acts apart", () => {
    const half = "JSON does not carry the half of a surrogate pair at"
    assert.throws(() => toTraceArguments({ to: ["a", "\ud83d"] }), `${half} to[1]`)
    assert.throws(() => toTraceArguments({ of: { "\udc00": 1 } }), `${half} of.\ufffd`)
    assert.throws(() => toTraceArguments({ to: Object("\ud83d") }), `${half} to`)
    assert.deepStrictEqual(toTraceArguments({ to: "\ud83d\ude00", at: new Date(0) }), {
      to: "\ud83d\ude00",
      at: "1970-01-01T00:00:00.000Z"
    })
  })

  it("throws for a value that is deeper than a trace may be", () => {
    let deep: unknown = 1
    for (let level = 0; level <= 100; level++) deep = [deep]
    assert.throws(() => toTraceJson(deep), /nests more than 100 levels/)
  })
})
