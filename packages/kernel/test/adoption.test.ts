/** An act of another run is taken over: its key is asked about as long as nobody may have forgotten it. */
import { assert, describe, it } from "@effect/vitest"
import { Bench, bookOf } from "./lab.ts"

const hour = 3_600_000

describe("an act that is taken over", () => {
  it.each([
    [hour - 1, undefined, "Ask"],
    [hour, undefined, "ReadBack"],
    [hour + 1, undefined, "ReadBack"],
    // The first rules asked in the moment from which the key may be forgotten, too (decision 0021).
    [hour, 1, "Ask"],
    [hour + 1, 1, "ReadBack"]
  ] as const)(
    "is asked about by its key up to the moment from which that may be forgotten: %i, rules %s",
    (age, rules, next) => {
      const bench = new Bench()
      if (rules !== undefined) bench.does({ _tag: "Migrate", rules })
      const startedAt = bench.now - age
      const adopted = { action: "a7", output: { id: "LX1" }, run: "other", startedAt, tick: 9 }
      assert.strictEqual(bench.decides({ _tag: "Propose", proposal: bookOf("LX1"), adopted }).next._tag, next)
    }
  )
})
