import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RepeatedCall from "../src/agent/RepeatedCall.ts"
import * as lab from "./lab.ts"

describe("RepeatedCall", () => {
  it.effect("reads the refused call of a tick as the next occurrence, and no other tick", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared))
      const tick = yield* within(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const refused = yield* handle.propose(lab.book("LX1", 900))
          return refused._tag === "Refused" ? (refused.tick ?? 0) : 0
        })
      )
      assert.isAbove(tick, 1)
      const again = yield* within(RepeatedCall.at(lab.trip, tick))
      assert.deepStrictEqual(again, { tool: "book", params: { flight: "LX1", price: 900 }, occurrence: 2 })
      for (const other of [0, 1, tick + 1]) {
        const error = yield* Effect.flip(within(RepeatedCall.at(lab.trip, other)))
        assert.deepInclude(error, { _tag: "NothingRefused", tick: other, last: tick })
      }
    })
  )
})
