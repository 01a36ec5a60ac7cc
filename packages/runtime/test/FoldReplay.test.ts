import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FoldReplay from "../src/replay/FoldReplay.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

describe("FoldReplay", () => {
  it.effect("folds a run to any tick, and counts the states that it compared on the way", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const whole = yield* FoldReplay.replay(lab.trip, { isStrict: true })
          assert(whole._tag === "Folded")
          assert.isAbove(whole.compared ?? 0, 0)
          const last = (yield* lab.transitions()).length
          const same = yield* FoldReplay.replay(lab.trip, { to: last })
          assert.deepInclude(same, { compared: undefined, digest: whole.digest, tick: last })
          const before = yield* FoldReplay.replay(lab.trip, { to: 1 })
          assert(before._tag === "Folded")
          assert.notStrictEqual(before.digest, whole.digest)
        })
      )
    })
  )
})
