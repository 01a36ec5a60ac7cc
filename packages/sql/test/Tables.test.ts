import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Limits from "../src/Limits.ts"
import * as Tables from "../src/queries/Tables.ts"

describe("Tables", () => {
  it.prop(
    "keys grow with run and tick, stay safe numbers, and give the tick back (decision 0044)",
    { run: Schema.Natural, tick: Schema.Natural },
    (given) => {
      const run = given.run % 2 ** 29
      const tick = given.tick % Tables.ticksPerRun
      const id = Tables.rowId(run, tick)
      assert.isTrue(Number.isSafeInteger(id))
      assert.strictEqual(Tables.tickOf(id), tick)
      assert.isBelow(id, Tables.rowId(run + 1, 0))
    }
  )

  it("has room for the ticks of a run and one before the first, and for no tick of another run among them", () => {
    const { runTransitionsMax } = Limits.refusing
    assert.strictEqual(Tables.tickOf(Tables.rowId(3, runTransitionsMax)), runTransitionsMax)
    assert.strictEqual(Tables.rowId(3, runTransitionsMax) + 1, Tables.rowId(4, 0))
  })

  it("gives the last tick of the last run a safe key", () => {
    assert.isTrue(Number.isSafeInteger(Tables.rowId(2 ** 29 - 1, Tables.ticksPerRun - 1)))
  })

  it.prop("writes names of any characters without NUL, and reads them back", [Schema.String], ([name]) => {
    const text = Tables.toName(name)
    assert.notInclude(text, "\u0000")
    assert.strictEqual(Tables.fromName(text), name)
  })

  it("writes NUL apart from the letters that spell it", () => {
    const names = ["\u0000", "\\u0000", "\\\u0000"]
    assert.strictEqual(new Set(names.map(Tables.toName)).size, 3)
    assert.deepStrictEqual(names.map(Tables.toName).map(Tables.fromName), names)
  })

  it("reads digests from a window into larger memory", () => {
    const digest = "00ff".repeat(16)
    const memory = Buffer.concat([Buffer.alloc(5, 7), Tables.toBytes(digest), Buffer.alloc(5, 7)])
    assert.strictEqual(Tables.fromBytes(memory.subarray(5, 37)), digest)
  })
})
