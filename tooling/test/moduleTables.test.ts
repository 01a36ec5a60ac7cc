import { assert, describe, it } from "@effect/vitest"
import * as ModuleTables from "../src/ModuleTables.ts"
import * as Repository from "../src/Repository.ts"

const page = "packages/trace/README.md"

/** Lines of the findings about a README, in a package that exports `Clock`, and `Bell` by its manifest alone. */
const found = (
  readme: string,
  rule: Repository.Rule = ModuleTables.moduleTables
): ReadonlyArray<readonly [number, string]> => {
  const repository = new Repository.Repository([
    ["packages/trace/package.json", JSON.stringify({ name: "trace", exports: { "./Bell": "./src/Bell.ts" } })],
    ["packages/trace/src/index.ts", 'export * as Clock from "./Clock.ts"\n'],
    ["packages/trace/src/Clock.ts", ""],
    ["packages/trace/src/Bell.ts", ""],
    ["packages/trace/src/inner/spring.ts", ""],
    [page, readme]
  ])
  return [...rule(repository)].map(({ advice, line }) => [line, /`(\w+)`/.exec(advice)?.[1] ?? ""])
}

describe("the table of modules of a README", () => {
  it("names each module that others may import; a mention in the text is not enough", () => {
    assert.deepStrictEqual(found("`Clock` tells the time.\n"), [
      [1, "Clock"],
      [1, "Bell"]
    ])
    assert.deepStrictEqual(found("| module | it |\n| --- | --- |\n| `Clock`, `Bell` | time |\n"), [])
  })

  it("names no module that is gone, and may name private ones", () => {
    const table = "| room | modules | it |\n| --- | --- | --- |\n| `Tower` | `Clock`, `Watch` | time |\n"
    assert.deepStrictEqual(found(`${table}| \`inner\` | \`Bell\`, \`spring\` | \`Hand\` |\n`), [[3, "Watch"]])
  })

  it("names the room of each module, if it has a column of rooms", () => {
    const head = "| room | modules | it |\n| --- | --- | --- |\n"
    const table = `${head}| – | \`Clock\`, \`spring\` | time |\n| \`inner\` | \`spring\`, \`Bell\` | sound |\n`
    assert.deepStrictEqual(found(table, ModuleTables.roomsOfModules), [
      [3, "spring"],
      [4, "Bell"]
    ])
    assert.deepStrictEqual(
      found("| module | it |\n| --- | --- |\n| `Bell` | sound |\n", ModuleTables.roomsOfModules),
      []
    )
  })

  it("says which exports the index omits, and names none that it lists", () => {
    assert.deepStrictEqual(found("Time.\n", ModuleTables.unindexed), [[1, "Bell"]])
    assert.deepStrictEqual(found("Time.\n\nNot in the index, as it rings: `Bell`.\n", ModuleTables.unindexed), [])
    const both = found("Not in the index: `Bell` and `Clock`.\n", ModuleTables.unindexed)
    assert.deepStrictEqual(both, [[1, "Clock"]])
  })
})
