import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Normaliser } from "../src/index.ts"

describe("Normaliser", () => {
  const same: ReadonlyArray<readonly [Normaliser.Normaliser, ReadonlyArray<Json>, string]> = [
    ["exact", ["a B"], "a B"],
    ["trim", [" a b ", "a b"], "a b"],
    ["lower", ["AbC ", "abc"], "abc"],
    ["upper", ["AbC ", "abc"], "ABC"],
    ["name", ["  Ada   Lovelace", "ada lovelace", "ADA LOVELACE"], "ada lovelace"],
    ["name", ["Ame\u0301lie", "Am\u00E9lie"], "am\u00E9lie"],
    ["code", ["lx 1234", "LX-1234", "Lx1234"], "LX1234"],
    ["email", [" Ada@Example.org", "ada@example.org"], "ada@example.org"],
    ["phone", ["+41 44 123 45 67", "0041441234567", "+41-44-1234567"], "+41441234567"],
    ["date", ["2024-05-15", "2024-05-15T15:00:00Z", " 2024-05-15 "], "2024-05-15"],
    ["integer", [7, "7", "7.0", " 7 "], "7"],
    ["decimal", [1.5, "1.50", "1.5"], "1.5"],
    ["decimal", [0, "-0.00"], "0"],
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

  it("refuses what it has no answer for, by name", () => {
    const cases: ReadonlyArray<readonly [Normaliser.Normaliser, Json]> = [
      ["name", "  "],
      ["code", "--"],
      ["email", "nobody"],
      ["phone", "call me"],
      ["date", "2024-02-30"],
      ["date", "15.5.2024"],
      ["integer", 1.5],
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

  it.prop(
    "is idempotent: a normalised value normalises to itself (L6)",
    [Schema.Literals(["trim", "lower", "upper", "name", "code", "exact"]), Schema.String],
    ([normaliser, text]) => {
      const once = Normaliser.apply(normaliser, text)
      if (Result.isFailure(once)) return true
      const twice = Normaliser.apply(normaliser, once.success)
      return Result.isSuccess(twice) && twice.success === once.success
    },
    { arbitrary: { runs: 500 } }
  )

  it("is a closed list", () => {
    assert.isTrue(Normaliser.isNormaliser("code"))
    assert.isFalse(Normaliser.isNormaliser("soundex"))
  })
})
