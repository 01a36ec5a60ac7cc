/** A world that answers badly: each answer ends in a named outcome, with its evidence in the trace. */
import type { Json } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../Client.ts"
import { booking, held, instead, scene, seat, settled, started } from "./scene.ts"

describe("a tool that answers garbage", () => {
  it("is followed by a question about the key, when it is not even JSON, and believed after a readback alone", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "garbage", 1)
        const outcome = yield* scene.propose(booking)
        assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
        assert.deepStrictEqual(yield* scene.story, [
          ...started,
          "action.result unknown",
          "action.result ok",
          ...settled
        ])
        assert.include(yield* scene.evidence, "answered 200 with something that is not JSON")
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))

  it("is sent again under its key when the system of record does not show it, and held when it never does", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          assert.include(held(yield* scene.propose(booking)), "the system of record does not show it")
          const sent = [...started.slice(1), "action.result ok", "action.verified mismatch", "recovery.decided"]
          const [first, ...others] = Array.from({ length: 8 }, () => sent)
          // That it did not show at first is on record once.
          const begun = first?.flatMap((each) =>
            each === "action.verified mismatch" ? ["recovery.decided", each] : each
          )
          assert.deepStrictEqual(yield* scene.story, ["action.request", ...(begun ?? []), ...others.flat()])
          assert.strictEqual(new Set(yield* scene.keys).size, 1)
          assert.include(yield* scene.evidence, '"certainly"')
          held(yield* scene.recover)
          const other = yield* scene.propose({
            ...booking,
            params: { ...seat, price: 1 },
            occurrence: 2,
            occurrenceBy: "plan"
          })
          assert.strictEqual(other._tag, "Refused")
          assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [0, 0])
        }),
      instead("book_flight", () => ({ execute: () => ({ booked: "certainly" }) }))
    ))

  it("is asked, too, when no trace could carry its answer", () => {
    let calls = 0
    return scene(
      (scene) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* scene.propose(booking))._tag, "Done")
          assert.deepStrictEqual((yield* scene.story).slice(0, 3), [...started, "action.result unknown"])
          assert.include(yield* scene.evidence, "value.not_json")
          assert.strictEqual(yield* scene.seats, 1)
        }),
      instead("book_flight", ({ execute }) => ({
        execute: async (params: never, context) => {
          const answer = await execute(params, context)
          const circle: { [name: string]: unknown } = {}
          circle["answer"] = circle
          return calls++ === 0 ? (circle as Json) : answer
        }
      }))
    )
  })

  it("has failed, if it is a search: its answer is evidence, and the plan never sees it", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          const search = { tool: "search_flights", params: { from: "Basel", to: "Lugano", date: "2026-12-18" } }
          assert.strictEqual((yield* scene.propose(search))._tag, "Failed")
          assert.deepStrictEqual(yield* scene.story, ["action.request", "recovery.decided", "action.result unknown"])
          assert.include(yield* scene.evidence, "none today")
          assert.isNull(yield* scene.working)
        }),
      instead("search_flights", () => ({ execute: () => ({ flights: "none today" }) }))
    ))
})

describe("a system of record", () => {
  it("leaves the action held while it cannot be read back, and settles it when it can", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("get_booking", "unavailable")
        assert.include(held(yield* scene.propose(booking)), "the system of record could not be read")
        assert.deepStrictEqual(yield* scene.story, [
          ...started,
          "action.result ok",
          "action.verified unknown",
          "recovery.decided"
        ])
        assert.strictEqual(yield* scene.world, 0)
        yield* scene.disarm
        assert.deepInclude(yield* scene.recover, { _tag: "Done", basis: "readback" })
        assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [seat.price, 1])
      })
    ))

  it("confirms nothing by a readback that is garbage: predicates that cannot be evaluated do not hold", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          held(yield* scene.propose(booking))
          assert.deepStrictEqual(yield* scene.story, [
            ...started,
            "action.result ok",
            "recovery.decided",
            "action.verified mismatch",
            "recovery.decided"
          ])
          assert.include(yield* scene.evidence, "status")
          assert.strictEqual(yield* scene.world, 0)
        }),
      instead("book_flight", () => ({ readback: async () => ["confirmed"] }))
    ))

  it("leaves the action unknown, and its target claimed, if it cannot be asked about a key (L7)", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "lost_response", 1)
        yield* scene.arm("status", "unavailable")
        assert.include(held(yield* scene.propose(booking)), "could not be asked")
        assert.deepStrictEqual(yield* scene.story, [...started, "action.result unknown", "recovery.decided"])
        assert.include(yield* scene.evidence, "The world answered 503")
        const other = yield* scene.propose({ ...booking, occurrence: 2, occurrenceBy: "plan" })
        assert.include(Wording.why(other), "target seat/")
        yield* scene.disarm
        assert.deepInclude(yield* scene.recover, { _tag: "Done", basis: "readback" })
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))
})

describe("a question about a key that is put in another tenant's name", () => {
  it("finds nothing, and the next request is sent under the same key: one seat is sold (L6, L15)", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", "lost_response", 1)
          assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
          const [first, ...again] = yield* scene.keys
          assert.deepStrictEqual(again, [first])
          assert.strictEqual(yield* scene.seats, 1)
        }),
      (_, url) => Client.tools(url, (_, kind) => ({ Tenant: kind === "status" ? "other" : "default" }))
    ))

  it("may be answered with that tenant's booking, which is not believed: one's own is made (L15)", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", "timeout_before_commit", 1)
          assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
          assert.include(yield* scene.story, "action.verified mismatch")
          assert.strictEqual(new Set(yield* scene.keys).size, 1)
          assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [seat.price, 1])
        }),
      (tools, url) => {
        const status = async (): Promise<Json> => {
          const { flight, traveller } = seat
          const order = { method: "POST", headers: { Tenant: "other" }, body: JSON.stringify({ flight, traveller }) }
          return (await (await fetch(`${url}/bookings`, order)).json()) as Json
        }
        return instead("book_flight", () => ({ status }))(tools)
      }
    ))
})
