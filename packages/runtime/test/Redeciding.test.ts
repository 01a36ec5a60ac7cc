import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redeciding from "../src/Redeciding.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** What a kernel that had lost its rules might have committed. */
const lawless = (asOf: number, tick: number): Draft => ({
  body: {
    action: { class: "high_risk_external", id: `a${tick}`, params: { flight: "LX9", price: 200 }, tool: "book" },
    author: "agent",
    policy: { checks: [], decision: "allow", version: "none" },
    type: "action.request"
  },
  stamp: { asOf },
  envelope: { ts: asOf }
})

describe("Redeciding", () => {
  it.effect("decides a whole journey again as it was decided (decision 28)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const { differs, obeyed, unrecorded } = yield* lab.as(process)(Redeciding.redecide(lab.trip))
      assert.deepStrictEqual(differs, [])
      assert.isAbove(obeyed, 10)
      assert.isBelow(unrecorded, obeyed)
    })
  )

  it.effect("decides refusals, anomalies and parked intents again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const { differs, obeyed } = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.note("seen"))
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(lab.book("LX1", 81))
          yield* handle.propose({ tool: "book", params: { flight: 7 } })
          yield* handle.propose({ tool: "nobody", params: {} })
          yield* handle.propose({ type: "action.result", data: {} })
          const blind = yield* Redeciding.redecide(lab.trip)
          assert.deepStrictEqual([blind.differs.length, blind.unrecorded], [0, 1])
          return yield* Redeciding.redecide(lab.trip, { secret: "secret" })
        })
      )
      assert.deepStrictEqual(differs, [])
      assert.isAbove(obeyed, 8)
    })
  )

  it.effect("names the tick at which something was committed that the contract does not allow", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const answer = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.note("seen"))
          const { asOf, head } = yield* handle.position
          yield* handle.commit([lawless(asOf, head.tick + 1)])
          const redecided = yield* Redeciding.redecide(lab.trip)
          return { ...redecided, tick: head.tick + 1 }
        })
      )
      assert.deepStrictEqual(
        answer.differs.map(({ tick }) => tick),
        [answer.tick]
      )
      assert.include(answer.differs[0]?.decided, "intent.refused")
    })
  )

  it.effect("claims nothing of a run whose store has lost it", () =>
    Effect.gen(function* () {
      const error = yield* lab.as(lab.process(TraceStore.layerMemory))(Effect.flip(Redeciding.redecide(lab.trip)))
      assert.strictEqual(error._tag, "RunUnknown")
    })
  )
})
