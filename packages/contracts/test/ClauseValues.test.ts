import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as YamlParser from "yaml"
import * as ClauseValues from "../src/goal/ClauseValues.ts"
import * as Specification from "../src/rules/Specification.ts"
import * as TaskPack from "../src/TaskPack.ts"
import * as Yaml from "../src/Yaml.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.trips",
    version: "1.0.0",
    state: { world: { spent: "int", paid: { decimal: 2 } } },
    specification: {
      max_total: { holds: "world.spent <= clause.max_total", value: "int", default: 600 },
      fee: { holds: "world.paid <= clause.fee", value: { decimal: 2 } },
      nights: { holds: "true", default: 3 },
      guests: { holds: "clause.guests.size() > 0", value: { list: "string" } },
      anything: { holds: "clause.anything != null", value: "json" },
      bare: "world.spent <= 600",
      judged: { function: "({ clause, world }) => clause.judged === undefined || world.spent <= clause.judged" }
    }
  })
)

const unfit = (given: Parameters<typeof ClauseValues.check>[1]) =>
  ClauseValues.check(pack, given).map(({ clause, hint = "" }) => [clause, hint])

describe("ClauseValues", () => {
  it("accepts values of the declared type, and none", () => {
    assert.deepStrictEqual(unfit({}), [])
    assert.deepStrictEqual(unfit({ max_total: 5, fee: "1.005", nights: 2.5, guests: ["Ada"] }), [])
    for (const anything of [1, "x", null, [1], { a: 1 }]) assert.deepStrictEqual(unfit({ anything }), [])
    assert.deepStrictEqual(Specification.values(pack.specification, { fee: 1.5 }), {
      max_total: 600,
      nights: 3,
      fee: "1.50"
    })
  })

  it("finds a name that the contract does not have, with the one that was meant", () => {
    assert.deepStrictEqual(unfit({ max_totl: 100, constructor: 1 }), [
      ["max_totl", "Did you mean max_total?"],
      ["constructor", ""]
    ])
  })

  it("finds a value for a clause without declared bounds, whatever the value is", () => {
    for (const value of [1, "1OO", true, null, ["x"], { max: 1 }]) {
      for (const clause of ["bare", "judged"]) {
        assert.deepStrictEqual(
          ClauseValues.check(pack, { [clause]: value }).map(({ expected, path }) => [path, expected]),
          [[clause, "no value"]]
        )
      }
    }
  })

  it("finds a value of another type, by the declaration or the default", () => {
    for (const given of [
      { max_total: "1OO" },
      { max_total: 1.5 },
      { max_total: null },
      { fee: "dear" },
      { nights: "3" },
      { guests: "Ada" }
    ]) {
      assert.deepStrictEqual(unfit(given as never), [[Object.keys(given)[0], ""]], JSON.stringify(given))
    }
  })

  it("keeps the values that fit, for a run whose values were given under another pack", () => {
    assert.deepStrictEqual(ClauseValues.fitting(pack, { max_total: 5, gone: 1, nights: "x" }), { max_total: 5 })
  })
})

describe("a clause", () => {
  const written = (clause: string, guard = "world.n > clause.few") =>
    `pack: acme.x
version: "1"
state: { world: { n: int } }
specification:
  few: ${clause}
guards: [{ id: g, on: plan.update, refuse_if: "${guard}" }]
`
  const read = (text: string) => Yaml.fromYaml(text, { file: "p.yaml" })

  it("refuses a clause that is read somewhere and has no type, in a contract that is new", () => {
    const says = "a clause without value and default, which guards[0].refuse_if reads"
    const refused: ReadonlyArray<readonly [string, string]> = [
      [written("world.n < 9"), says],
      [written("{ holds: world.n < 9 }"), says],
      [written("world.n < clause.few", "false"), "a clause without value and default, which specification.few reads"],
      [written("{ holds: world.n < 9, default: [1] }", "false"), "an array as the default of a clause without value"],
      [written("{ holds: world.n < 9, default: null }"), "null as the default of a clause without value"]
    ]
    for (const [text, found] of refused) {
      const [issue] = Result.isFailure(read(text)) ? Result.getOrThrow(Result.flip(read(text))).issues : []
      assert.deepInclude(issue, { column: 3, found, line: 5, path: "specification.few" }, text)
      // What was accepted once is read for ever.
      const stored = Result.getOrThrow(TaskPack.fromJson(YamlParser.parse(text)))
      assert.include(
        stored.warnings.map((warning) => warning.found),
        found
      )
    }
  })

  it("accepts a clause that shows its type, or that nothing reads", () => {
    const accepted = [
      written("{ holds: world.n < 9, default: 5 }"),
      written("{ holds: world.n < 9, value: int }"),
      written("world.n < 9", "false")
    ]
    for (const text of accepted) assert.isTrue(Result.isSuccess(read(text)), text)
  })
})
