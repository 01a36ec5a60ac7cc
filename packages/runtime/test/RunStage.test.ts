import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunStage from "../src/projections/RunStage.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

describe("RunStage", () => {
  it.effect("reports that every stage holds for a run of the whole runtime whose tools can be verified", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const { enforced, stages } = yield* lab.as(process)(RunStage.look(lab.trip))
      assert.strictEqual(enforced, 3)
      assert.deepStrictEqual(
        stages.map(({ holds, missing }) => [holds, missing]),
        [0, 1, 2, 3].map(() => [true, []])
      )
    })
  )
})
