import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Body } from "@backstitch/trace/Transition"
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

  it.effect("believes no evidence from after the kept head, however well it is chained", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { lawless: true }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.tell("ada"))
          const history = yield* History.History
          const { head } = yield* history.info(lab.trip)
          const [told] = ActionHistories.all(yield* lab.transitions()).keys()
          const at = yield* history.at(lab.trip, head.tick)
          const asOf = at.asOf
          const body: Body = {
            author: "kernel",
            type: "action.verified",
            action: { id: told ?? "" },
            data: { remains: "nothing", source: "bank" },
            result: { status: "ok", output: null, basis: "readback", trust: 3 }
          }
          const forged = (stamp: object) =>
            HashChain.seal(head, { body, envelope: { ts: 0 }, stamp: { asOf, ...stamp } })
          const [folded] = yield* history.advance(lab.trip, at, [forged({})])
          const sealed = forged({ state: State.digest(folded!.at.state) })
          const { append } = yield* TraceStore.TraceStore
          yield* append({ run: lab.trip, expected: head, transitions: [sealed], claims: [] })
          const grounds = (kept: HashChain.Head) =>
            Effect.map(AuditConfirmation.of(lab.trip, `${kept.tick}:${kept.link}`), ({ actions, verification }) => {
              assert.strictEqual(verification.verdict, "consistent, anchored")
              return actions.map((each) => each.grounds)
            })
          assert.deepStrictEqual(yield* grounds(head), [["not_reconciled"]])
          // Somebody who keeps the later head vouches for the evidence as well.
          assert.deepStrictEqual(yield* grounds(HashChain.headOf(sealed)), [[]])
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
