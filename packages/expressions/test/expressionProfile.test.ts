import { readFileSync } from "node:fs"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { loops } from "../src/cel/evaluation.ts"
import * as Functions from "../src/cel/functions.ts"
import { Expression, Field } from "../src/index.ts"

const guide = readFileSync(new URL("../../../docs/guides/expressions.md", import.meta.url), "utf8")
const text = guide.slice(guide.indexOf("<!-- profile:"), guide.indexOf("<!-- /profile -->"))
const bindings = JSON.parse(/```json\n([^`]*)```/.exec(text)?.[1] ?? "") as Expression.Bindings
const names: Expression.Names = {
  args: "any",
  world: "any",
  order: Field.object({ total: { type: "decimal", precision: 2 } })
}

/** The lines of the tables with a heading, as expression and answer. */
const rows = (heading: string): ReadonlyArray<readonly [string, string]> =>
  text.split(`| expression | ${heading} |\n| --- | --- |\n`).flatMap((part, index) => {
    const lines = index === 0 ? [] : part.split("\n")
    const end = lines.findIndex((line) => !line.startsWith("|"))
    return lines.slice(0, end).map((line): readonly [string, string] => {
      const [, source = "", answer = ""] = /^\| `(.*)` \| (.*) \|$/.exec(line) ?? assert.fail(`no row: ${line}`)
      return [source.replaceAll("\\|", "|"), answer]
    })
  })

const evaluate = (source: string): Result.Result<Json, Expression.ExpressionFailed> =>
  Expression.evaluate(Result.getOrThrow(Expression.compile(source, { names })), bindings)

/** Functions of CEL and of its common extension for text. */
const standard = [
  "all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth getDayOfWeek",
  "getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int map matches size startsWith",
  "string timestamp type uint",
  "charAt format indexOf join lastIndexOf lowerAscii replace reverse split substring trim upperAscii"
].flatMap((line) => line.split(" "))

describe("Expression profile", () => {
  it.each(rows("answers"))("answers %s with %s, as its guide says", (source, answer) => {
    assert.deepStrictEqual(evaluate(source), Result.succeed(JSON.parse(answer.replace(/^`(.*)`$/, "$1"))))
  })

  it.each(rows("fails, since"))("fails at %s: %s, as its guide says", (source, reason) => {
    const { message } = Result.getOrThrow(Result.flip(evaluate(source)))
    assert.include(message, `The expression ${source} has no value`)
    assert.include(message, reason)
  })

  it.each(rows("is refused, since"))("refuses %s: %s, as its guide says", (source, reason) => {
    const refused = Result.getOrThrow(Result.flip(Expression.compile(source, { names })))
    assert.include(refused.message, reason)
  })

  it("is written down function by function, with all that CEL has", () => {
    const sources = ["answers", "is refused, since"].map((heading) =>
      rows(heading)
        .map(([source]) => source)
        .join("\n")
    )
    const uses = (list: string, name: string) => new RegExp(`\\b${name}\\(`).test(list)
    const [answered = "", refused = ""] = sources
    const known = ["has", ...Object.keys({ ...Functions.functions, ...Functions.methods, ...loops })]
    assert.deepStrictEqual(
      known.filter((name) => !uses(answered, name)),
      []
    )
    const others = standard.filter((name) => !known.includes(name))
    assert.deepStrictEqual(
      [...Object.keys(Functions.refused), ...others].filter((name) => !uses(refused, name)),
      []
    )
  })
})
