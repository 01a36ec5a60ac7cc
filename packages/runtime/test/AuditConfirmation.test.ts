import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as AuditConfirmation from "../src/projections/AuditConfirmation.ts"
import * as lab from "./lab.ts"

describe("AuditConfirmation", () => {
  it.effect("confirms what was reconciled before a kept head with a complete entry, and says why not the rest", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(lab.tell("ada"))
          const { head } = yield* Effect.flatMap(History.History, (history) => history.info(lab.trip))
          yield* handle.propose(lab.book("LX2"))
          for (const kept of [head.link, `${head.tick}:${head.link}`]) {
            const { actions, anchoredTo, verification } = yield* AuditConfirmation.of(lab.trip, kept)
            assert.strictEqual(anchoredTo, head.tick)
            assert.isTrue(verification.anchored)
            // A read changes nothing; a tool without a readback is trusted on its word; the last booking came later.
            assert.deepStrictEqual(
              actions.map(({ grounds }) => grounds),
              [[], ["not_reconciled"], ["not_anchored"]]
            )
            assert.deepStrictEqual(
              actions.map(({ confirmed }) => confirmed),
              [true, false, false]
            )
          }
        })
      )
    })
  )

  it.effect("confirms nothing under a head that the run does not have", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          const trace = yield* TraceStore.TraceStore
          const [first] = yield* trace.read(lab.trip, { from: 1, to: 1 })
          for (const kept of ["0".repeat(64), `2:${first?.link}`]) {
            const { actions, anchoredTo, verification } = yield* AuditConfirmation.of(lab.trip, kept)
            assert.deepStrictEqual([actions, anchoredTo, verification.consistent], [[], 0, false])
          }
        })
      )
    })
  )
})
