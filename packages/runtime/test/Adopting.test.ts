import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Adopting from "../src/Adopting.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

describe("Adopting", () => {
  it.effect("says of a run of the whole runtime which of its tools can never be verified, and nothing else", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const { enforced, stages } = yield* lab.as(process)(Adopting.look(lab.trip))
      assert.strictEqual(enforced, 3)
      assert.deepStrictEqual(
        stages.slice(0, 2).map(({ holds }) => holds),
        [true, true]
      )
      for (const { remedy, what, where } of stages.flatMap(({ missing }) => missing)) {
        assert.isTrue(what !== "" && where !== "" && remedy !== "")
      }
    })
  )
})
