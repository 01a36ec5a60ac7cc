import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const Key = Schema.Literals(["", "\\", "\\n", "\\u0", "\n", "\t", '"', "\u0000", "\u0001", "a", "a\\", "a\n", "10"])
const Leaf = Schema.Union([Schema.Null, Schema.Literals([true, -0.5, 1e300, "", "\\", '":', "}", "]", "\u0007"])])
const Pairs = Schema.Array(Schema.Tuple([Key, Schema.Union([Leaf, Schema.Array(Leaf)])]))
const Nested = Schema.Array(Schema.Tuple([Key, Pairs]))

const drawn = (pairs: typeof Nested.Type): object =>
  Object.fromEntries(pairs.map(([key, inner]) => [key, [Object.fromEntries(inner), inner.length]]))

/** Text with spaces wherever JSON allows them. */
const spaced = (value: unknown): string => JSON.stringify(value, undefined, "\t").replaceAll(/(?<=^\t*)\n/g, "\r\n ")

const keysOf = (value: unknown): ReadonlyArray<string> => Object.keys(value as object)

describe("JsonText", () => {
  it("reads an escaped key as it is written, whatever the process has read before", () => {
    for (const escape of ["\\n", '\\"', "\\u0000", "\\/", "\\b"]) {
      for (const before of ['{"\\\\":1}', '{"\\\\n":1}', '{"\\\\u00":1}', '{"h":[],"\\\\":0}']) JSON.parse(before)
      assert.deepStrictEqual(keysOf(JsonText.read(`{"${escape}":1}`)), [JSON.parse(`"${escape}"`)])
      assert.deepStrictEqual(keysOf(JsonText.read(`{"h":1,"${escape}":2}`)), ["h", JSON.parse(`"${escape}"`)])
    }
  })

  it.prop(
    "reads back written text, with the keys in their order",
    [Nested],
    ([pairs]) => {
      const value = drawn(pairs)
      for (const text of [JSON.stringify(value), spaced(value)]) {
        assert.strictEqual(JSON.stringify(JsonText.read(text)), JSON.stringify(value))
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it("treats repeated keys, __proto__ and empty lists and objects as the language does", () => {
    assert.strictEqual(JSON.stringify(JsonText.read('{"a":1,"\\n":[],"b":{},"a":[ ]}')), '{"a":[],"\\n":[],"b":{}}')
    const own = JsonText.read('{"__proto__":{"x":1},"\\t":{"__proto__":null}}') as object
    assert.deepStrictEqual(Object.keys(own), ["__proto__", "\t"])
    assert.strictEqual(Object.getPrototypeOf(own), Object.prototype)
    assert.strictEqual(JSON.stringify(own), '{"__proto__":{"x":1},"\\t":{"__proto__":null}}')
  })

  it.each(["", "{", '{"\\n"}', '{"\\n":1,}', '{"\\x":1}', '["\\n":1]', "nul"])(
    "refuses %j, which is no JSON",
    (text) => {
      assert.throws(() => JsonText.read(text), SyntaxError)
    }
  )

  it("copies the parts of a value that JSON can represent", () => {
    const value = { at: new Date(0), "\n": undefined, "\t": [undefined, () => 1] }
    assert.deepStrictEqual(JsonText.carried(value), { at: "1970-01-01T00:00:00.000Z", "\t": [null, null] })
    assert.strictEqual(JsonText.carried(undefined), null)
  })

  it.prop(
    "changes the parts of a value as the language's own reviver does",
    [Nested],
    ([pairs]) => {
      const seen: Array<[string, unknown]> = []
      const expected: Array<[string, unknown]> = []
      const change = (into: Array<[string, unknown]>) => (key: string, part: unknown) => {
        into.push([key, JSON.stringify(part)])
        return part === true ? undefined : typeof part === "string" ? part.length : part
      }
      // Without escapes: the engine may mistake them.
      const text = JSON.stringify(drawn(pairs)).replaceAll(/\\(u....|.)/g, "~")
      const native = JSON.parse(text, change(expected))
      assert.deepStrictEqual(JsonText.revived(JSON.parse(text), change(seen)), native)
      assert.deepStrictEqual(seen, expected)
    },
    { arbitrary: { runs: 300 } }
  )

  it("keeps the digest of a value separate from the name of another value (L2)", () => {
    JSON.parse('{"!":1,"\\\\":2}')
    assert.isTrue(Canonical.isCanonical(Canonical.encode({ "!": 1, '"': 2 })))
    JSON.parse('{"!!":1,"\\\\":2}')
    assert.deepStrictEqual(keysOf(Canonical.settled({ '"': 2, "!!": 1 })), ["!!", '"'])
  })
})
