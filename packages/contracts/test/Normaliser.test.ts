import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Normaliser } from "../src/index.ts"
import * as Acts from "./acts.ts"

/** The same writing of an act, or another, as the kernel tells them apart. */
const isOne = (one: Result.Result<Normaliser.Normal, unknown>, other: Result.Result<Normaliser.Normal, unknown>) =>
  Result.isSuccess(one) &&
  Result.isSuccess(other) &&
  one.success.key === other.success.key &&
  JSON.stringify(one.success.spelling) === JSON.stringify(other.success.spelling)

describe("Normaliser", () => {
  const same: ReadonlyArray<readonly [Normaliser.Normaliser, ReadonlyArray<Json>, string]> = [
    ["exact", ["a B"], "a B"],
    ["exact", ["Zoe\u0308", "Zo\u00EB"], "Zo\u00EB"],
    ["exact", [{ e\u0301: ["e\u0301"] }, { \u00E9: ["\u00E9"] }], '{"\u00E9":["\u00E9"]}'],
    ["trim", [" e\u0301", "\u00E9"], "\u00E9"],
    ["json", [["e\u0301"], ["\u00E9"]], '["\u00E9"]'],
    ["trim", [" a b ", "a b"], "a b"],
    ["lower", ["AbC \u00C9", "abc e\u0301"], "abc \u00E9"],
    ["upper", ["AbC ", "abc"], "ABC"],
    ["upper", ["Ma\u00DFe"], "MA\u00DFE"],
    ["name", ["  Ada   Lovelace", "ada lovelace", "ADA LOVELACE"], "ada lovelace"],
    ["name", ["Ame\u0301lie", "Am\u00E9lie"], "am\u00E9lie"],
    ["code", ["lx 1234", "LX-1234", "Lx1234"], "LX1234"],
    ["code", ["c++", "C++"], "C++"],
    ["email", [" Ada@Example.org", "ada@example.org"], "ada@example.org"],
    ["email", ["a@b\u00FCcher.example", "a@xn--bcher-kva.example"], "a@xn--bcher-kva.example"],
    ["phone", ["+41 44 123 45 67", "0041441234567", "+41-44-1234567"], "+41441234567"],
    ["phone", ["+41 44 123 45 67 ext. 8", "tel:+41-44-123-45-67;ext=8"], "+41441234567;ext=8"],
    ["date", ["2024-05-15", "2024-05-15T00:00:00Z", " 20240515 "], "2024-05-15"],
    ["datetime", ["2024-05-15T00:30:00+02:00", "2024-05-14 22:30Z"], "2024-05-14T22:30:00Z"],
    ["datetime", ["2024-05-15T15:00", "2024-05-15 15:00:00.000"], "2024-05-15T15:00:00"],
    ["datetime", ["2024-05-15T15:00:00.50Z", "20240515T150000,5Z"], "2024-05-15T15:00:00.5Z"],
    ["url", ["HTTPS://Example.org:443/a/../b", "https://example.org/b"], "https://example.org/b"],
    ["integer", [7, "7", "7.0", " 7 "], "7"],
    ["decimal", [1.5, "1.50", "1.5"], "1.5"],
    ["decimal", [0, "-0.00"], "0"],
    ["decimal", [0.125, "0.125", "+0.1250", "00.125"], "0.125"],
    ["decimal", [1234.5, "1234.500", "1.234500e3"], "1234.5"],
    ["integer", [1000, "1000", "01000", "1.000e3", "１０００", "1000.0"], "1000"],
    [
      "json",
      [
        { b: 1, a: [2] },
        { a: [2], b: 1 }
      ],
      '{"a":[2],"b":1}'
    ]
  ]

  it.each(same)("%s makes spellings of one identity the same (L6)", (normaliser, spellings, expected) => {
    for (const spelling of spellings) {
      assert.deepStrictEqual(Normaliser.apply(normaliser, spelling), Result.succeed(expected))
    }
  })

  it("refuses a value that it cannot normalise, by name", () => {
    const cases: ReadonlyArray<readonly [Normaliser.Normaliser, Json]> = [
      ["name", "  "],
      ["code", "--"],
      ["code", 7],
      ["email", "nobody"],
      ["email", "a b@example.org"],
      ["email", "Ada <ada@example.org>"],
      ["email", "ada@-example.org"],
      ["email", "ada@exam ple.org"],
      ["email", ".ada@example.org"],
      ["email", "ada@\u0300.example"],
      ["phone", "call me"],
      ["phone", "1-800-FLOWERS"],
      ["phone", "+41 (0)44 123 45 67"],
      ["phone", "+0441234567"],
      ["phone", "+41 44 123 45 67 / 68"],
      ["phone", "12"],
      ["phone", "1234567890123456"],
      ["phone", "+1234567890123456"],
      ["date", "2024-02-30"],
      ["date", "2023-02-29"],
      ["date", "1900-02-29"],
      ["date", "2024-05-00"],
      ["date", "2024-13-01"],
      ["date", "15.5.2024"],
      ["date", "2024-05-15 to 2024-05-18"],
      ["date", "2024-05-15/2024-05-18"],
      ["date", "2024-05-15T24:00"],
      ["date", "2024-05-15T10:60"],
      ["date", "2024-05-15T10:00:60"],
      ["date", "2024-05-15T10:00+24:00"],
      ["date", "2024-05-15T10:00+01:60"],
      ["date", 20240515],
      ["datetime", "2024-05-15"],
      ["url", "example.org/a"],
      ["url", "https://example.org/a b"],
      ["exact", { e\u0301: 1, \u00E9: 2 }],
      ["json", [{ e\u0301: 1, \u00E9: 2 }]],
      ["json", { "\ud800": 1 }],
      ["integer", 1.5],
      ["integer", "1.000"],
      ["integer", "１．０００"],
      ["integer", "1 000"],
      ["integer", "1,000"],
      ["decimal", " -12.345 "],
      ["decimal", "1.000,00"],
      ["decimal", "1.000.000"],
      ["decimal", "1'000"],
      ["decimal", "1_000"],
      ["decimal", "1\u066C000"],
      ["decimal", "\u0661\u066B\u0665"],
      ["decimal", "1,5"],
      ["decimal", "5-"],
      ["decimal", "(5)"],
      ["decimal", "0x10"],
      ["decimal", "--5"],
      ["decimal", "many"],
      ["trim", 3],
      ["exact", "\ud800"],
      ["json", ["\ud800"]]
    ]
    for (const [normaliser, value] of cases) {
      const applied = Normaliser.apply(normaliser, value)
      assert.isTrue(Result.isFailure(applied) && applied.failure.message.includes(normaliser), normaliser)
    }
  })

  /** White_Space of the Unicode Character Database, and code points that some platforms take for it. */
  const spaces = [
    ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680],
    ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
    ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000]
  ].map((point) => String.fromCharCode(point))
  const lookalikes = ["\u180E", "\u200B", "\uFEFF"]

  it("takes exactly the white space of Unicode for white space, on every platform (L6)", () => {
    const keyOf = (rule: Normaliser.Normaliser, text: string) => Result.getOrThrow(Normaliser.apply(rule, text))
    for (const sign of spaces) {
      for (const rule of ["trim", "lower", "upper", "name", "code", "url"] as const) {
        const text = rule === "url" ? "https://a.example/" : "a"
        assert.strictEqual(keyOf(rule, `${sign}${text}${sign}${sign}`), keyOf(rule, text), `${rule} ${escape(sign)}`)
      }
      assert.strictEqual(keyOf("name", `Ada${sign} ${sign}Lovelace`), "ada lovelace", escape(sign))
      assert.strictEqual(keyOf("code", `LX${sign}1234`), "LX1234", escape(sign))
      assert.strictEqual(keyOf("phone", `+41${sign}79${sign}1234567`), "+41791234567", escape(sign))
      assert.isTrue(Result.isFailure(Normaliser.apply("url", `https://a.example/${sign}b`)), escape(sign))
      assert.strictEqual(keyOf("decimal", `${sign}12.5`), "12.5", escape(sign))
    }
    for (const sign of lookalikes) {
      assert.strictEqual(keyOf("trim", `${sign}a`), `${sign}a`, escape(sign))
      assert.notStrictEqual(keyOf("name", `Ada${sign}Lovelace`), "ada lovelace", escape(sign))
    }
  })

  const Sign = Schema.Literals([
    ...spaces,
    ...lookalikes,
    "a",
    "B",
    "1",
    "9",
    "-",
    ".",
    "/",
    "_",
    "#",
    "e\u0301",
    "\uFF21"
  ])
  const Spaced = Schema.Array(Sign).check(Schema.isMaxLength(12))

  it.prop(
    "is idempotent, whatever white space stands where (L6)",
    [Schema.Literals(["trim", "lower", "upper", "name", "code", "exact"]), Spaced],
    ([normaliser, signs]) => {
      const once = Normaliser.read(normaliser, signs.join(""))
      if (Result.isFailure(once)) return
      assert.deepStrictEqual(Normaliser.read(normaliser, once.success.spelling), once)
      assert.strictEqual(Result.getOrThrow(Normaliser.apply(normaliser, once.success.key)), once.success.key)
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "is idempotent: a normalised value normalises to itself (L6)",
    [Schema.Literals(["trim", "lower", "upper", "name", "code", "exact"]), Schema.String],
    ([normaliser, text]) => {
      const once = Normaliser.read(normaliser, text)
      if (Result.isFailure(once)) return true
      const [key, spelling] = [once.success.key, once.success.spelling].map((each) => Normaliser.read(normaliser, each))
      assert.deepStrictEqual(spelling, once)
      assert.deepStrictEqual(
        Result.map(key!, (each) => each.key),
        Result.succeed(once.success.key)
      )
      return true
    },
    { arbitrary: { runs: 500 } }
  )

  it("keeps a key apart from a spelling whose meaning only a person can tell (L6)", () => {
    const doubtful: ReadonlyArray<readonly [Normaliser.Normaliser, Json, Json]> = [
      ["code", "1-23", "12-3"],
      ["code", "1-23", "123"],
      ["code", "1.23", "1-23"],
      ["code", "1 - 23", "1.23"],
      ["code", "#1234", "1234"],
      ["date", "2024-05-15", "2024-05-15T15:00:00Z"],
      ["date", "2024-05-15T15:00:00Z", "2024-05-15T17:00:00Z"],
      ["exact", 7, "7"]
    ]
    for (const [normaliser, one, other] of doubtful) {
      const [first, second] = [one, other].map((value) => Result.getOrThrow(Normaliser.read(normaliser, value)))
      assert.strictEqual(first?.key, second?.key, `${one} ${other}`)
      assert.notDeepEqual(first?.spelling, second?.spelling)
    }
  })

  it("has another key for a value that certainly means something else (L6)", () => {
    const apart: ReadonlyArray<readonly [Normaliser.Normaliser, ReadonlyArray<Json>]> = [
      ["code", ["A+", "A-", "A", "A++", "A#", "-A", "E", "\u00C9", "\u00DF", "SS", "A,1", "A1"]],
      ["phone", ["+41441234567", "+41441234567 x1", "+41441234567 x12", "41441234567", "+414412345671"]],
      ["email", ["a+b@c.de", "a@c.de", "a@c.d", "a.b@c.de", "ab@c.de"]],
      ["date", ["2024-05-15", "2024-05-16"]],
      ["datetime", ["2024-05-15T15:00", "2024-05-15T15:00Z", "2024-05-15T15:00+01:00", "2024-05-15T15:00:00.1Z"]],
      ["upper", ["\u0131", "i", "a b", "a  b"]],
      ["url", ["https://a.b/c", "https://a.b/C", "https://a.b/c?d", "https://a.b/c#d"]]
    ]
    for (const [normaliser, values] of apart) {
      const keys = values.map((value) => Result.getOrThrow(Normaliser.apply(normaliser, value)))
      assert.strictEqual(new Set(keys).size, values.length, normaliser)
    }
  })

  it("reads text as the type of its field says, if it has one", () => {
    const price = { type: "decimal", precision: 3 } as const
    assert.deepStrictEqual(Normaliser.apply("decimal", "1.000", price), Result.succeed("1"))
    assert.deepStrictEqual(Normaliser.apply("integer", "1.000", price), Result.succeed("1"))
    assert.isTrue(Result.isFailure(Normaliser.apply("decimal", "1.000", { type: "string" })))
  })

  it("says of a number that may be grouped how to write it", () => {
    const refused = Result.getFailure(Normaliser.apply("integer", "1.000"))
    assert.include(JSON.stringify(refused), "1.000")
    assert.match(
      Result.isFailure(Normaliser.apply("integer", "1.000")) ? String(refused) : "",
      /nothing parts the thousands/
    )
  })

  it.prop(
    "reads the one meaning of a number or refuses it, however its thousands and its fraction are separated (L6)",
    [Acts.Amount, Schema.Literals(Acts.conventions), Schema.Literals(["decimal", "integer"])],
    ([meaning, convention, rule]) => {
      const text = Acts.grouped(meaning, convention)
      const read = Normaliser.apply(rule, text)
      const means = String(meaning.units / 10 ** meaning.scale)
      if (Result.isSuccess(read)) assert.strictEqual(read.success, means, text)
    },
    { arbitrary: { runs: 1000 } }
  )

  const kinds = [
    ["codes", Acts.Code, Acts.code],
    ["names", Acts.Name, Acts.name],
    ["phones", Acts.Phone, Acts.phone],
    ["dates", Acts.Moment, Acts.date],
    ["times", Acts.Moment, Acts.datetime],
    ["amounts", Acts.Amount, Acts.decimal]
  ] as const
  for (const [kind, Meaning, actOf] of kinds) {
    const of = actOf as (meaning: unknown) => Acts.Act
    it.prop(
      `${kind}: one meaning in any writing is one act, and two meanings never are (L6)`,
      [Meaning as Schema.Codec<unknown>, Meaning as Schema.Codec<unknown>, Acts.Style, Acts.Style],
      ([meaning, another, style, anotherStyle]) => {
        const [act, other] = [of(meaning), of(another)]
        const [one, same, apart] = [act.write(style), act.write(anotherStyle), other.write(anotherStyle)].map((value) =>
          Normaliser.read(act.rule, value)
        )
        assert.isTrue(isOne(one!, same!), `${act.means}: ${act.write(style)} and ${act.write(anotherStyle)}`)
        if (act.means !== other.means) {
          assert.isFalse(isOne(one!, apart!), `${act.write(style)} and ${other.write(anotherStyle)}`)
        }
      },
      { arbitrary: { runs: 1000 } }
    )
  }

  it("answers in time, however long and strange a text is", () => {
    const strange = [
      "1 ".repeat(50_000),
      "-".repeat(50_000),
      "a.".repeat(50_000),
      `${"(1)".repeat(20_000)}x`,
      "+".repeat(9999)
    ]
    for (const normaliser of Normaliser.names) {
      for (const text of strange) assert.isDefined(Normaliser.read(normaliser, text))
    }
  })

  it("is a closed list", () => {
    assert.isTrue(Normaliser.isNormaliser("code"))
    assert.isFalse(Normaliser.isNormaliser("soundex"))
  })
})
