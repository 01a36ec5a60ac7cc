import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as HeldActions from "@backstitch/runtime/HeldActions"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as lab from "../../runtime/test/lab.ts"
import * as RunWaits from "../src/waiting/RunWaits.ts"
import * as RunNews from "../src/webhooks/RunNews.ts"

/** The news of a run at the present position of its handle. */
const newsOf = (handle: RunHandle.RunHandle) =>
  Effect.gen(function* () {
    const library = yield* PackLibrary.PackLibrary
    const position = yield* handle.position
    const pack = yield* library.inForce(position.state, position.head.tick + 1)
    const waits = RunWaits.of({ pack, position })
    const info = yield* (yield* TraceStore.TraceStore).info(handle.run)
    const cards = yield* PendingApprovals.ofRun(info!)
    const histories = RunNews.isHolding(waits) ? ActionHistories.all(yield* lab.transitions()) : undefined
    return RunNews.of(handle.run, { cards, histories, state: position.state, waits })
  })

describe("RunNews", () => {
  it.effect("are of an approval while it waits, under one id, and hold its arguments in the card alone", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose({ tool: "launch", params: { when: "the-secret-hour" } })
          const [first, ...more] = yield* newsOf(handle)
          assert.deepStrictEqual([first?.type, more], ["approval.requested", []])
          assert.notInclude(JSON.stringify(first?.data), "the-secret-hour")
          assert.deepEqual<unknown>(first?.card?.params, { when: "the-secret-hour" })
          yield* handle.propose(lab.note("meanwhile"))
          assert.deepStrictEqual(yield* newsOf(handle), [first!])
          assert.deepStrictEqual(RunNews.fresh([first!], new Set([first!.id])), [])
          const data = { review: String(first?.data["review"]), verdict: "denied", by: "Ada", role: "operator" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          assert.deepStrictEqual(yield* newsOf(handle), [])
        })
      )
    })
  )

  it.effect("are of a held action once, whatever it waits for, and of a violation since its first tick", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (const flight of ["A1", "B2", "C3", "D4", "E5", "F6", "G7"]) yield* handle.propose(lab.book(flight, 100))
          const [violation] = yield* newsOf(handle)
          assert.deepInclude(violation?.data, { predicate: "over" })
          world.faults.push("lost")
          yield* handle.propose({ tool: "fax", params: { to: "x" } })
          const news = yield* newsOf(handle)
          assert.deepStrictEqual(news.map(({ type }) => type).sort(), ["action.held", "violation.found"])
          assert.include(
            news.map(({ id }) => id),
            violation?.id
          )
        })
      )
    })
  )

  it.effect(
    "are of the incident that recovery opened about an action, with what was found, for as long as it stands",
    () =>
      Effect.gen(function* () {
        const store = yield* lab.shared
        const world = new lab.World()
        const { book, ...tools } = world.tools
        // The record is about the seat of somebody else.
        const elsewhere = { ...book!, readback: async () => ({ flight: "ZZ9", id: "B1", price: 80 }) }
        const executor = ToolExecutor.fromTools({ ...tools, book: elsewhere })
        yield* lab.as(lab.process(store, { executor }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            const { _tag } = yield* lab.elapsing(handle.propose(lab.book("LX1")))
            assert.strictEqual(_tag, "Held")
            const [held, opened, ...more] = yield* newsOf(handle)
            assert.deepStrictEqual(more, [])
            const found = { discrepancy: "wrong_target_modified", decision: "freeze_and_alarm" }
            assert.deepInclude(held, { type: "action.held" })
            assert.deepInclude(held?.data, { ...found, waitsFor: ["person"] })
            assert.deepInclude(opened, { type: "incident.opened" })
            assert.deepInclude(opened?.data, {
              ...found,
              about: String(held?.data["about"]),
              incident: String(held?.data["incident"])
            })
            const [entry] = yield* HeldActions.list(lab.trip.tenant, lab.trip)
            assert.deepInclude(entry, { ...found, incident: String(held?.data["incident"]) })
            const { about } = held!.data
            const data = { action: String(about), as: "abandoned", by: "Ada", evidence: "the airline was told" }
            yield* handle.propose({ type: "review.decided", author: "user", data })
            assert.deepStrictEqual(yield* newsOf(handle), [])
          })
        )
      })
  )

  it("tell the end of each round of a run apart", () => {
    const ids = [1, 2].map((round) => RunNews.ended(lab.trip, { how: "ended", round }).id)
    assert.notStrictEqual(ids[0], ids[1])
    assert.strictEqual(RunNews.ended(lab.trip, { how: "ended", round: 1, next: "trip-2" }).id, ids[0])
  })
})
