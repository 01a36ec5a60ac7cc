import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Duration } from "../src/index.ts"

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
    [Schema.Natural],
    ([millis]) => Result.getOrThrow(Duration.parse(Duration.format(millis % 1e12))) === millis % 1e12,
    { arbitrary: { runs: 300 } }
  )
})
