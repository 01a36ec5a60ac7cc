import * as Latch from "@backstitch/reducer/Latch"
import * as PackRules from "@backstitch/reducer/PackRules"
import type { State } from "@backstitch/reducer/State"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pack from "../Pack.ts"
import type { Reservation, World } from "../World.ts"
import { models, reservation, world } from "./fixture.ts"

const transition: Transition = {
  tick: 2,
  body: { author: "kernel", type: "action.result" },
  stamp: { asOf: 0 },
  envelope: { ts: 0 }
}
const stateOf = (of: Partial<World>): State => ({ world: { ...of }, working: {}, kernel: {} })

/** Ids of the predicates that hold of a change, in order. */
const violated = Effect.map(
  Pack.load,
  (pack) => (before: Partial<World>, after: World) =>
    PackRules.of(pack)
      .predicates.filter((predicate) => {
        const verdict = Latch.evaluate(predicate, { before: stateOf(before), after: stateOf(after), transition })
        assert.notStrictEqual(verdict, "error", `${predicate.id} has no answer`)
        return verdict === "violation"
      })
      .map(({ id }) => id)
      .sort()
)

const test = (
  title: string,
  check: (tools: { readonly call: Effect.Success<typeof models>; readonly of: Effect.Success<typeof violated> }) => void
) => it.effect(title, () => Effect.map(Effect.all({ call: models, of: violated }), check))

const put = (id: string, more: Partial<Reservation>, at = world): World => ({
  ...at,
  reservations: at.reservations.set(id, reservation(id, more))
})
const leg = (date: string, flight_number = "F1") => [{ flight_number, date }]
const change = { reservation_id: "OLD", cabin: "economy", flights: leg("2024-05-21"), payment_id: "card" }

describe("predicates", () => {
  test("find nothing in the world that runs begin in", ({ of }) => {
    assert.deepStrictEqual(of({}, world), [])
    assert.deepStrictEqual(of(world, world), [])
  })

  test("CANCEL_INELIGIBLE holds unless the booking is fresh, in business, insured, or cancelled by the airline", ({
    call,
    of
  }) => {
    const cancel = (at: World) => of(at, call("cancel_reservation", { reservation_id: "OLD" }, at).world)
    assert.deepStrictEqual(cancel(world), ["CANCEL_INELIGIBLE"])
    assert.deepStrictEqual(cancel(put("OLD", { created_at: "2024-05-14T15:00:00" })), [])
    assert.deepStrictEqual(cancel(put("OLD", { created_at: "2024-05-14T14:59:59" })), ["CANCEL_INELIGIBLE"])
    assert.deepStrictEqual(cancel(put("OLD", { cabin: "business" })), [])
    assert.deepStrictEqual(cancel(put("OLD", { insurance: "yes" })), [])
    const dropped = [{ ...leg("2024-05-21", "F2")[0]!, price: 15, origin: "AAA", destination: "BBB" }]
    assert.deepStrictEqual(cancel(put("OLD", { flights: dropped })), [])
  })

  test("CANCEL_FLOWN holds of a journey that has begun", ({ call, of }) => {
    assert.deepStrictEqual(of(world, call("cancel_reservation", { reservation_id: "FLOWN" }).world), ["CANCEL_FLOWN"])
  })

  test("BASIC_ECONOMY_FLIGHTS_CHANGED follows the cabin that was last asked for", ({ call, of }) => {
    const basic = put("OLD", { cabin: "basic_economy" })
    assert.deepStrictEqual(of(basic, call("update_reservation_flights", change, basic).world), [
      "BASIC_ECONOMY_FLIGHTS_CHANGED"
    ])
    const upgraded = call("update_reservation_flights", { ...change, flights: leg("2024-05-20") }, basic).world
    assert.deepStrictEqual(of(basic, upgraded), [])
    assert.deepStrictEqual(of(upgraded, call("update_reservation_flights", change, upgraded).world), [])
    const lowered = call("update_reservation_flights", {
      ...change,
      cabin: "basic_economy",
      flights: leg("2024-05-20")
    }).world
    assert.deepStrictEqual(of(lowered, call("update_reservation_flights", change, lowered).world), [
      "BASIC_ECONOMY_FLIGHTS_CHANGED"
    ])
  })

  test("ROUTE_OR_TYPE_CHANGED holds when the flights no longer end at the destination", ({ call, of }) => {
    const onward = [...leg("2024-05-20"), ...leg("2024-05-20", "F2")]
    assert.deepStrictEqual(of(world, call("update_reservation_flights", { ...change, flights: onward }).world), [
      "ROUTE_OR_TYPE_CHANGED"
    ])
    const misfit = put("OLD", { destination: "ZZZ" })
    assert.deepStrictEqual(of(misfit, call("update_reservation_flights", change, misfit).world), [])
  })

  test("BAG_FEE_WRONG holds of a new reservation that pays for more or fewer bags than go beyond the allowance", ({
    of
  }) => {
    const bags = (total_baggages: number, nonfree_baggages: number, more: Partial<Reservation> = {}) => {
      const payment_history = [{ payment_id: "card", amount: 15 + 50 * nonfree_baggages }]
      return of(world, put("NEW", { total_baggages, nonfree_baggages, payment_history, ...more }))
    }
    assert.deepStrictEqual(bags(1, 0), [])
    assert.deepStrictEqual(bags(2, 1), [])
    assert.deepStrictEqual(bags(2, 0), ["BAG_FEE_WRONG"])
    assert.deepStrictEqual(bags(1, 1), ["BAG_FEE_WRONG"])
    assert.deepStrictEqual(bags(2, 0, { cabin: "business" }), [])
    assert.deepStrictEqual(bags(1, 0, { cabin: "basic_economy" }), ["BAG_FEE_WRONG"])
    assert.deepStrictEqual(bags(3, 0, { user_id: "gil" }), [])
  })

  test("PAYMENT_MIX holds of a new reservation with too many methods of a kind", ({ of }) => {
    const split = (ids: ReadonlyArray<string>) => ids.map((payment_id) => ({ payment_id, amount: 15 / ids.length }))
    const pay = (...ids: ReadonlyArray<string>) => of(world, put("NEW", { payment_history: split(ids) }))
    assert.deepStrictEqual(pay("card", "gift", "gift", "gift", "voucher"), [])
    assert.deepStrictEqual(pay("card", "card"), ["PAYMENT_MIX"])
    assert.deepStrictEqual(pay("voucher", "voucher"), ["PAYMENT_MIX"])
    assert.deepStrictEqual(pay("gift", "gift", "gift", "gift"), ["PAYMENT_MIX"])
  })

  test("CERT_UNJUSTIFIED holds unless an eligible customer's flight was cancelled or late, for that amount", ({
    call,
    of
  }) => {
    const give = (user_id: string, amount: number, at = world) =>
      of(at, call("send_certificate", { user_id, amount }, at).world)
    assert.deepStrictEqual(give("gil", 50), [])
    assert.deepStrictEqual(give("gil", 100), ["CERT_UNJUSTIFIED"])
    assert.deepStrictEqual(give("ann", 50), ["CERT_UNJUSTIFIED"])
    const dropped = [{ ...leg("2024-05-21", "F2")[0]!, price: 15, origin: "BBB", destination: "CCC" }]
    assert.deepStrictEqual(give("ann", 100, put("OLD", { flights: dropped })), ["CERT_UNJUSTIFIED"])
    assert.deepStrictEqual(give("ann", 100, put("OLD", { flights: dropped, insurance: "yes" })), [])
  })

  test("PAYMENT_NOT_CONSERVED holds when payments and price differ, and never after a call of these tools", ({
    call,
    of
  }) => {
    assert.deepStrictEqual(of(world, put("OLD", { payment_history: [] })), ["PAYMENT_NOT_CONSERVED"])
    const bags = { reservation_id: "OLD", total_baggages: 2, nonfree_baggages: 1, payment_id: "gift" }
    const calls: ReadonlyArray<readonly [string, object]> = [
      ["update_reservation_baggages", bags],
      ["update_reservation_flights", { ...change, cabin: "business" }],
      ["update_reservation_flights", { ...change, cabin: "economy" }],
      ["cancel_reservation", { reservation_id: "OLD" }],
      ["cancel_reservation", { reservation_id: "OLD" }]
    ]
    let at = world
    for (const [tool, args] of calls) {
      const next = call(tool, args, at).world
      assert.notInclude(of(at, next), "PAYMENT_NOT_CONSERVED")
      at = next
    }
  })
})
