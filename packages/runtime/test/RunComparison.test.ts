import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunComparison from "../src/reporting/RunComparison.ts"
import * as lab from "./lab.ts"

describe("RunComparison", () => {
  it.effect("commits a comparison to the first run, and answers what it answers without", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared, {}))
      yield* within(lab.work)
      const compared = yield* within(RunComparison.of(lab.trip, lab.trip))
      assert.deepStrictEqual(yield* within(RunComparison.recorded(lab.trip, lab.trip)), compared)
      const last = (yield* within(lab.transitions())).at(-1)
      assert.strictEqual(last?.body.type, "diff.summary")
    })
  )
})
