import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Duration } from "../src/index.ts"

/** A count of each unit: spans of several units are the rule. */
const Few = Schema.Literals([0, 1, 7, 20])

describe("Duration", () => {
  it("reads whole units, largest first", () => {
    for (const [text, millis] of [
      ["500ms", 500],
      ["10s", 10_000],
      ["2m", 120_000],
      ["1h", 3_600_000],
      ["24h", 86_400_000],
      ["1h30m", 5_400_000],
      ["1d", 86_400_000],
      ["0s", 0]
    ] as const) {
      assert.deepStrictEqual(Duration.parse(text), Result.succeed(millis))
    }
  })

  it("refuses anything else by name", () => {
    for (const text of ["", "10", "s", "1.5h", "30m1h", "-1s", "10 s", "99999999999h"]) {
      const parsed = Duration.parse(text)
      assert.isTrue(Result.isFailure(parsed) && parsed.failure.message.includes(JSON.stringify(text)), text)
    }
  })

  it.prop(
    "reads back what it writes",
    [Schema.Tuple([Few, Few, Few, Few, Few])],
    ([[days, hours, minutes, seconds, rest]]) => {
      const millis = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + rest
      const text = Duration.format(millis)
      assert.deepStrictEqual(Duration.parse(text), Result.succeed(millis))
      return Result.isSuccess(Duration.parse(text)) && /^(0s|(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?)$/.test(text)
    },
    { arbitrary: { runs: 300 } }
  )

  it("writes each unit once, and no more of it than the next larger one takes", () => {
    assert.strictEqual(Duration.format(93_784_005), "1d2h3m4s5ms")
    assert.strictEqual(Duration.format(90_000), "1m30s")
    assert.strictEqual(Duration.format(3_600_000), "1h")
  })
})
