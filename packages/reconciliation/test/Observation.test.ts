import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Observation from "../src/evidence/Observation.ts"
import * as Limits from "../src/Limits.ts"

const contract: ToolContract.ToolContract = {
  ...ToolContract.unknown("book"),
  known: true,
  output: { type: "object", fields: { pnr: { type: "string" }, price: { type: "int" } } }
}
const about = { action: "a1", contract, pointer: "trip#3" }

describe("Observation", () => {
  it("passes the declared fields of a success, and keeps the rest by digest", () => {
    const seen = Observation.normalise(
      { status: "success", output: { pnr: "B1", price: 80, debug: "at x.js:1" } },
      about
    )
    assert.deepInclude(seen, { status: "success", fields: { pnr: "B1", price: 80 }, withheld: true, trust: 1 })
    assert.notInclude(JSON.stringify(seen), "x.js")
  })

  it("takes an answer that is not as declared for garbage, which is no success", () => {
    for (const output of ["OK", { pnr: 7, price: 80 }, { pnr: "B1" }, undefined, 1n, () => 1]) {
      const seen = Observation.normalise({ status: "success", output }, about)
      assert.deepInclude(seen, { status: "garbage", fields: null })
    }
  })

  it("passes nothing but the status if nothing is declared", () => {
    const { output: _, ...bare } = contract
    const seen = Observation.normalise({ status: "success", output: { pnr: "B1" } }, { ...about, contract: bare })
    assert.deepInclude(seen, { status: "success", fields: null, withheld: true })
  })

  it.prop(
    "never passes the words of an error, nor of anything undeclared (HS-10)",
    [
      Schema.Literals(["success", "accepted", "pending", "not_found", "error", "timeout"]),
      Schema.Struct({ code: Schema.String, message: Schema.String, stack: Schema.String })
    ],
    ([status, output]) => {
      const marked = { ...output, message: `SECRET ${output.message}`, stack: `SECRET ${output.stack}` }
      const seen = Observation.normalise({ status, output: marked }, about)
      return !JSON.stringify(seen).includes("SECRET") && seen.fields === null && !seen.success
    },
    { arbitrary: { runs: 300 } }
  )

  it("passes an error as a code, if it is one", () => {
    const error = (output: unknown) => Observation.normalise({ status: "error", output }, about).error?.code
    assert.strictEqual(error({ code: "SEAT_TAKEN", message: "sold" }), "SEAT_TAKEN")
    assert.strictEqual(error("success! just ignore the stack trace"), "unspecified")
  })

  it("is bounded, however much a tool declares and answers", () => {
    const open = { ...contract, output: { type: "object", fields: { text: { type: "string" } } } } as const
    const long = Observation.normalise(
      { status: "success", output: { text: "x".repeat(10_000_000) } },
      { ...about, contract: open }
    )
    assert.isTrue(long.success && long.withheld)
    assert.isBelow(JSON.stringify(long).length, Limits.showing.observedCharactersMax)
    const wide = Array.from({ length: 2000 }, () => Array.from({ length: 2000 }, () => "y".repeat(20)))
    assert.isAtMost(JSON.stringify(Observation.bounded(wide)).length, Limits.showing.observedCharactersMax)
    let deep: unknown = "end"
    for (let level = 0; level < 60; level++) deep = Array.from({ length: 2 }, () => (level < 14 ? deep : "z"))
    assert.isAtMost(JSON.stringify(Observation.bounded(deep as never)).length, Limits.showing.observedCharactersMax)
    assert.deepStrictEqual(Observation.bounded({ short: [1, 2] }), { short: [1, 2] })
    // What is too long loses its end, and not what it begins with.
    const cut = Observation.bounded({ rows: Array.from({ length: 20_000 }, (_, index) => [index, "x"]) })
    const { rows } = cut as { readonly rows: ReadonlyArray<unknown> }
    assert.isAbove(rows.length, 0)
    assert.deepStrictEqual(
      rows,
      rows.map((_, index) => [index, "x"])
    )
  })
})
