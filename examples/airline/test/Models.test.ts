import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { models, nameOf, world } from "./fixture.ts"

const booking = {
  user_id: "ann",
  origin: "AAA",
  destination: "BBB",
  flight_type: "one_way",
  cabin: "economy",
  flights: [{ flight_number: "F1", date: "2024-05-20" }],
  passengers: [{ first_name: "Ann", last_name: "One", dob: "1990-01-01" }],
  payment_methods: [{ payment_id: "card", amount: 20 }],
  total_baggages: 0,
  nonfree_baggages: 0,
  insurance: "no"
}
const change = { reservation_id: "OLD", cabin: "economy", flights: booking.flights, payment_id: "card" }

const test = (title: string, check: (call: Effect.Success<typeof models>) => void) =>
  it.effect(title, () => Effect.map(models, check))

describe("models", () => {
  test("books under the next free id, and takes gift cards by amount and certificates whole", (call) => {
    const paid = [
      { payment_id: "gift", amount: 5 },
      { payment_id: "voucher", amount: 15 }
    ]
    const first = call("book_reservation", { ...booking, payment_methods: paid })
    const { payment_methods, reservations } = first.world.users.get("ann")!
    assert.strictEqual(payment_methods["gift"]?.amount, 45)
    assert.isUndefined(payment_methods["voucher"])
    assert.strictEqual(reservations.at(-1), "HATHAT")
    const second = call("book_reservation", booking, first.world)
    const third = call("book_reservation", booking, second.world)
    assert.isTrue(third.world.reservations.has("HATHAU") && third.world.reservations.has("HATHAV"))
  })

  test("charges passengers, insurance and bags, and refuses another sum", (call) => {
    const two = [...booking.passengers, ...booking.passengers]
    const args = { ...booking, passengers: two, insurance: "yes", total_baggages: 3, nonfree_baggages: 1 }
    assert.strictEqual(
      call("book_reservation", args).output,
      "Error: payment amount does not add up, total price is 150, but paid 20"
    )
    assert.typeOf(
      call("book_reservation", { ...args, payment_methods: [{ payment_id: "card", amount: 150 }] }).output,
      "object"
    )
  })

  test("answers an error and changes nothing if the tool would", (call) => {
    const day = (date: string, flight_number = "F1") => ({ ...booking, flights: [{ flight_number, date }] })
    const pay = (payment_id: string, amount = 20) => ({ ...booking, payment_methods: [{ payment_id, amount }] })
    const cases: ReadonlyArray<readonly [string, object, string]> = [
      ["book_reservation", { ...booking, user_id: "eve" }, "Error: user not found"],
      ["book_reservation", day("2024-05-20", "F9"), "Error: flight F9 not found"],
      ["book_reservation", day("2024-06-01"), "Error: flight F1 not found on date 2024-06-01"],
      ["book_reservation", day("2024-05-19"), "Error: flight F1 not available on date 2024-05-19"],
      [
        "book_reservation",
        { ...booking, cabin: "business", passengers: [1, 2] },
        "Error: not enough seats on flight F1"
      ],
      ["book_reservation", pay("cash"), "Error: payment method cash not found"],
      ["book_reservation", pay("gift", 51), "Error: not enough balance in payment method gift"],
      ["cancel_reservation", { reservation_id: "NONE" }, "Error: reservation not found"],
      ["update_reservation_flights", { ...change, payment_id: "cash" }, "Error: payment method not found"],
      [
        "update_reservation_flights",
        { ...change, payment_id: "voucher" },
        "Error: certificate cannot be used to update reservation"
      ],
      [
        "update_reservation_flights",
        { ...change, cabin: "business", payment_id: "gift" },
        "Error: gift card balance is not enough"
      ],
      [
        "update_reservation_passengers",
        { reservation_id: "OLD", passengers: [] },
        "Error: number of passengers does not match"
      ],
      ["get_reservation_details", { reservation_id: "NONE" }, "Error: user not found"],
      ["send_certificate", { user_id: "eve", amount: 1 }, "Error: user not found"]
    ]
    for (const [tool, args, expected] of cases) {
      const { output, world: after } = call(tool, args)
      assert.strictEqual(output, expected)
      assert.strictEqual(nameOf(after), nameOf(world))
    }
  })

  test("refunds every payment when it cancels, and the refunds when it cancels again", (call) => {
    const once = call("cancel_reservation", { reservation_id: "OLD" })
    const amounts = (at: typeof world) => at.reservations.get("OLD")?.payment_history.map(({ amount }) => amount)
    assert.deepStrictEqual(amounts(once.world), [15, -15])
    assert.strictEqual(once.world.reservations.get("OLD")?.status, "cancelled")
    assert.deepStrictEqual(
      amounts(call("cancel_reservation", { reservation_id: "OLD" }, once.world).world),
      [15, -15, -15, 15]
    )
  })

  test("keeps the price of a flight that was booked, in the cabin on record alone", (call) => {
    const same = call("update_reservation_flights", change).world
    assert.strictEqual(nameOf(same), nameOf(world))
    const up = call("update_reservation_flights", { ...change, cabin: "business" }).world
    const changed = up.reservations.get("OLD")!
    assert.strictEqual(changed.flights[0]?.price, 90)
    assert.strictEqual(changed.cabin, "economy")
    assert.deepStrictEqual(up.cabins.get("OLD"), { cabin: "business" })
    assert.deepStrictEqual(changed.payment_history.at(-1), { payment_id: "card", amount: 75 })
  })

  test("refunds the savings of a change to a gift card, and charges additional bags alone", (call) => {
    const cheaper = call("update_reservation_flights", { ...change, cabin: "basic_economy", payment_id: "gift" }).world
    assert.strictEqual(cheaper.users.get("ann")?.payment_methods["gift"]?.amount, 55)
    const bags = (nonfree_baggages: number, at = world) =>
      call(
        "update_reservation_baggages",
        { reservation_id: "OLD", total_baggages: 2, nonfree_baggages, payment_id: "gift" },
        at
      )
    const more = bags(1).world
    assert.strictEqual(more.users.get("ann")?.payment_methods["gift"]?.amount, 0)
    assert.strictEqual(bags(2).output, "Error: gift card balance is not enough")
    assert.strictEqual(bags(0, more).world.users.get("ann")?.payment_methods["gift"]?.amount, 0)
  })

  test("gives three certificates, and nothing at the fourth call", (call) => {
    let at = world
    const outputs = [1, 2, 3, 4].map(() => {
      const given = call("send_certificate", { user_id: "gil", amount: 50 }, at)
      at = given.world
      return given.output
    })
    assert.strictEqual(outputs[0], "Certificate certificate_3221322 added to user gil with amount 50.")
    assert.isNull(outputs[3])
    assert.deepStrictEqual(Object.keys(at.users.get("gil")!.payment_methods).length, 3)
  })

  test("searches direct flights and those with one stop, over midnight too", (call) => {
    const numbers = (output: unknown): unknown =>
      (output as ReadonlyArray<unknown>).map((found) =>
        Array.isArray(found)
          ? found.map(({ date, flight_number }) => `${flight_number} ${date}`)
          : (found as { readonly flight_number: string }).flight_number
      )
    const direct = call("search_direct_flight", { origin: "AAA", destination: "BBB", date: "2024-05-20" })
    assert.deepStrictEqual(numbers(direct.output), ["F1", "F3"])
    const onestop = call("search_onestop_flight", { origin: "AAA", destination: "CCC", date: "2024-05-20" })
    assert.deepStrictEqual(numbers(onestop.output), [
      ["F1 2024-05-20", "F2 2024-05-20"],
      ["F3 2024-05-20", "F4 2024-05-21"]
    ])
  })

  test("calculates as Python does", (call) => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["152 + 103", "255.0"],
      ["(350 - 122) * 2 + (499 - 127) * 2", "1200.0"],
      ["7 / 2 // 1", "3.0"],
      ["-7 // 2", "-4.0"],
      ["-2 ** 2 + +1", "-3.0"],
      ["2 ** -1", "0.5"],
      ["0.125", "0.12"],
      ["0.375", "0.38"],
      ["-0.125", "-0.12"],
      ["1.005 * 100", "100.5"],
      [".5 + 1.", "1.5"],
      ["0 - 0.001", "-0.0"],
      ["10 ** 17", "1e+17"],
      ["1 / 0", "Error: division by zero"],
      ["1 +", "Error: invalid syntax (<string>, line 1)"],
      ["two", "Error: invalid characters in expression"]
    ]
    for (const [expression, expected] of cases) assert.strictEqual(call("calculate", { expression }).output, expected)
  })
})
