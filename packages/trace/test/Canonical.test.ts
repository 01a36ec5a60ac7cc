import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Canonical from "../src/bytes/Canonical.ts"
import * as JsonText from "../src/bytes/JsonText.ts"
import * as Limits from "../src/Limits.ts"

const Bits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffffffff }))

const fromBits = (hex: string): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${hex}`))
  return view.getFloat64(0)
}

/** The definition, without the fast path. */
const reference = (value: Canonical.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(reference).join(",")}]`
  const fields = Object.entries(value as Canonical.JsonObject)
  const written = fields.sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${written.map(([key, field]) => `${JSON.stringify(key)}:${reference(field ?? null)}`).join(",")}}`
}

const reversed = (value: Canonical.Json): Canonical.Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  const fields = Object.entries(value as Canonical.JsonObject).reverse()
  return Object.fromEntries(fields.map(([key, field]) => [key, reversed(field ?? null)]))
}

/** Generated strings may hold lone surrogates, which have a test of their own. */
const isWritable = (value: Canonical.Json): boolean => !/\\ud[89a-f]/.test(JSON.stringify(value))

const refused = (value: unknown): Canonical.NotCanonical | undefined => {
  try {
    Canonical.encode(value as Canonical.Json)
    return undefined
  } catch (error) {
    assert.instanceOf(error, Canonical.NotCanonical)
    return error
  }
}

describe("Canonical", () => {
  it("writes the sample object of RFC 8785", () => {
    const sample = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    assert.strictEqual(
      Canonical.encode(sample),
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
  })

  it("orders the keys of RFC 8785 by UTF-16 code units", () => {
    const sample: Canonical.Json = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    const texts = [...Canonical.encode(sample).matchAll(/:"([^"]*)"/g)].map(([, text]) => text)
    assert.deepStrictEqual(texts, [
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh"
    ])
  })

  it("orders keys that look like integers as text", () => {
    assert.strictEqual(Canonical.encode({ "9": 1, "10": 2, a: 3, "-": 4 }), `{"-":4,"10":2,"9":1,"a":3}`)
  })

  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"]
  ])("writes the number with bits %s as %s", (bits, text) => {
    assert.strictEqual(Canonical.encode(fromBits(bits)), text)
    assert.strictEqual(Canonical.encode({ b: fromBits(bits), a: 0 }), `{"a":0,"b":${text}}`)
  })

  it.prop(
    "writes every finite number so that it reads back as itself",
    [Bits, Bits],
    ([high, low]) => {
      const number = fromBits(high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0"))
      if (!Number.isFinite(number)) return refused(number) !== undefined
      return Number(Canonical.encode(number)) === number
    },
    { arbitrary: { runs: 1000 } }
  )

  it.prop(
    "writes equal values as equal text, whatever the order of their keys (L2)",
    [Schema.Json],
    ([value]) => {
      if (!isWritable(value)) return
      const text = Canonical.encode(value)
      assert.strictEqual(text, reference(value))
      assert.strictEqual(Canonical.encode(reversed(value)), text)
      assert.isTrue(Canonical.isCanonical(text))
      assert.isTrue(Canonical.equals(value, reversed(value)))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "finds two values equal exactly when their text is equal",
    [Schema.Json, Schema.Json],
    ([left, right]) => {
      if (!isWritable([left, right])) return
      const same = Canonical.encode(left) === Canonical.encode(right)
      assert.strictEqual(Canonical.equals(left, right), same)
      assert.strictEqual(Canonical.equals([{ a: left }], [{ a: right }]), same)
      assert.strictEqual(Canonical.equals({ a: left, b: right }, { b: left, a: right }), same)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "brings a value into the form in which its text reads back, in the same order of keys (L2)",
    [Schema.Json],
    ([value]) => {
      if (!isWritable(value)) return
      const settled = Canonical.settled(reversed(value))
      assert.strictEqual(JSON.stringify(settled), JSON.stringify(JsonText.read(Canonical.encode(value))))
      if (JSON.stringify(settled) === Canonical.encode(value)) assert.strictEqual(Canonical.settled(settled), settled)
    },
    { arbitrary: { runs: 300 } }
  )

  it("settles negative zero and absent fields as they are written", () => {
    assert.isTrue(Object.is(Canonical.settled({ n: -0 }).n, 0))
    assert.deepStrictEqual(Object.keys(Canonical.settled({ b: undefined, a: 1 })), ["a"])
    assert.deepStrictEqual(Object.keys(Canonical.settled(JSON.parse('{"b":1,"__proto__":2}'))), ["__proto__", "b"])
  })

  it("settles a value without copying the parts of it that are settled", () => {
    const [item, field] = [{ a: 1 }, { a: [{ b: 1 }], c: "d" }]
    const settled = Canonical.settled({ list: [item, { b: 1, a: 2 }], field })
    assert.strictEqual(settled.field, field)
    assert.strictEqual(settled.list[0], item)
  })

  it("takes a value of the permitted depth, and refuses a deeper one and one that is part of itself", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    assert.strictEqual(
      Canonical.encode(Canonical.parse(nested(Limits.deciding.levelsMax))),
      nested(Limits.deciding.levelsMax)
    )
    assert.strictEqual(Canonical.parse(`"${nested(1000)}"`), nested(1000))
    const deep = nested(Limits.deciding.levelsMax + 1)
    assert.throws(() => Canonical.parse(deep), Canonical.NotCanonical)
    assert.isFalse(Canonical.isCanonical(deep))
    assert.throws(() => Canonical.parse(`{"a":${"[".repeat(1_000_000)}`), Canonical.NotCanonical)
    const tower = () => {
      let value: Canonical.Json = 1
      for (let level = 0; level < 100_000; level++) value = level % 2 === 0 ? [value] : { b: 1, a: value }
      return value
    }
    const circle = () => {
      const value: Record<string, Canonical.Json> = { a: 1 }
      value["self"] = [value]
      return value
    }
    for (const unfit of [tower, circle]) {
      assert.match(refused(unfit())?.message ?? "", /more than 500 levels deep, or part of itself/)
      assert.throws(() => Canonical.settled(unfit()), Canonical.NotCanonical)
      assert.throws(() => Canonical.equals(unfit(), unfit()), Canonical.NotCanonical)
    }
  })

  it("counts levels and values without the content of strings", () => {
    assert.deepStrictEqual(Canonical.extent('{"a":[1,2,{}],"[[":"\\\\\\",[{"}'), { levels: 3, values: 7 })
    assert.deepStrictEqual(Canonical.extent("[]\n[[]]"), { levels: 2, values: 5 })
    assert.deepStrictEqual(Canonical.extent('"open'), { levels: 0, values: 1 })
  })

  it("leaves out absent fields, and compares accordingly", () => {
    assert.strictEqual(Canonical.encode({ b: undefined, a: 1 }), `{"a":1}`)
    assert.isTrue(Canonical.equals({ a: 1, b: undefined }, { a: 1, c: undefined }))
    assert.isFalse(Canonical.equals({ a: 1, b: undefined }, { a: 1, b: null }))
    assert.isFalse(Canonical.equals({ a: [] }, { a: {} }))
    assert.isFalse(Canonical.equals({ a: 1 }, { a: 1, b: 2 }))
    assert.isFalse(Canonical.equals({ toString: 1 }, { valueOf: 1 }))
  })

  it.each([
    ["NaN", { a: [1, Number.NaN] }, "$.a[1]", "NaN"],
    ["Infinity", { a: Number.NEGATIVE_INFINITY }, "$.a", "-Infinity"],
    ["undefined in an array", [1, undefined], "$[1]", "undefined"],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is refused
    ["a hole in an array", [1, , 2], "$[1]", "undefined"],
    ["undefined alone", undefined, "$", "undefined"],
    ["a high surrogate alone", { a: "\ud83d" }, "$.a", "a string with a lone surrogate"],
    ["a low surrogate first", ["\ude00\ud83d"], "$[0]", "a string with a lone surrogate"],
    ["a key with a lone surrogate", { a: { "\ud83d": 1 } }, "$.a", "an object with a lone surrogate in a key"],
    ["a date", { z: 1, at: new Date(0) }, "$.at", "an instance of Date"],
    ["a map", new Map([["a", 1]]), "$", "an instance of Map"],
    ["a function", { f: () => 1 }, "$.f", "function"],
    ["a bigint", [1n], "$[0]", "bigint"],
    ["a symbol", { s: Symbol.iterator }, "$.s", "symbol"],
    ["a value with its own toJSON", { toJSON: () => 1 }, "$.toJSON", "function"]
  ])("refuses %s", (_, value, path, found) => {
    const error = refused(value)
    assert.deepStrictEqual([error?.path, error?.found], [path, found])
    assert.include(error?.message, path)
  })

  it("tells canonical text from other JSON, and from text that is no JSON", () => {
    assert.isTrue(Canonical.isCanonical(`{"a":[1,"é"],"b":null}`))
    for (const text of [`{"b":1,"a":2}`, `{"a": 1}`, "1.0", "01", `"\\u00e9"`, `{"a":1,"a":1}`, "", "undefined"]) {
      assert.isFalse(Canonical.isCanonical(text), text)
    }
  })
})
