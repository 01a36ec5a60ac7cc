import * as Chat from "@backstitch/importers/Chat"
import type { Json } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Faults from "../Faults.ts"
import * as Pack from "../Pack.ts"
import paymentNotConserved from "../predicates/PAYMENT_NOT_CONSERVED.ts"
import type { Address, Answer, Order, World } from "../World.ts"

const address: Address = { address1: "1 Road", address2: "", city: "Ulm", state: "BW", country: "DE", zip: "89073" }
const mug = { name: "Mug", product_id: "p", item_id: "red", price: 10, options: { colour: "red" } }

const order = (id: string, status: string, more: Partial<Order> = {}): readonly [string, Order] => [
  id,
  {
    order_id: id,
    user_id: "ann",
    address,
    items: [mug],
    fulfillments: [],
    status,
    payment_history: [{ transaction_type: "payment", amount: 10, payment_method_id: "gift_card_1" }],
    ...more
  }
]

const world: World = {
  orders: Table.from([order("open", "pending"), order("here", "delivered"), order("gone", "cancelled")]),
  products: Table.from([
    [
      "p",
      {
        name: "Mug",
        product_id: "p",
        variants: {
          red: { item_id: "red", options: { colour: "red" }, available: true, price: 10 },
          blue: { item_id: "blue", options: { colour: "blue" }, available: true, price: 12.5 },
          gold: { item_id: "gold", options: { colour: "gold" }, available: true, price: 99 },
          old: { item_id: "old", options: { colour: "old" }, available: false, price: 1 }
        }
      }
    ]
  ]),
  users: Table.from([
    [
      "ann",
      {
        name: { first_name: "Ann", last_name: "One" },
        address,
        email: "Ann@example.com",
        payment_methods: {
          gift_card_1: { source: "gift_card", id: "gift_card_1", balance: 20 },
          card: { source: "credit_card", id: "card" }
        },
        orders: ["open", "here", "gone"]
      }
    ]
  ])
}

const test = (
  title: string,
  check: (
    call: (tool: string, args: object, before?: World) => { readonly output: Json; readonly world: World }
  ) => void
) =>
  it.effect(title, () =>
    Effect.map(Pack.load, (pack) =>
      check((tool, args, before = world) => {
        const { output, world: changed } = pack.tools[tool]!.model!.run({ args, world: before }) as Answer
        return { output, world: { ...before, ...changed } }
      })
    )
  )

const balance = ({ users }: World): number | undefined => users.get("ann")!.payment_methods["gift_card_1"]?.balance
const swap = (to: string, payment_method_id = "gift_card_1") => ({
  order_id: "open",
  item_ids: ["red"],
  new_item_ids: [to],
  payment_method_id
})

describe("models of the shop's tools", () => {
  test("cancels a pending order and refunds it, at once to a gift card", (call) => {
    const done = call("cancel_pending_order", { order_id: "open", reason: "no longer needed" })
    assert.strictEqual(done.world.orders.get("open")?.status, "cancelled")
    assert.strictEqual(balance(done.world), 30)
    const again = call("cancel_pending_order", { order_id: "open", reason: "no longer needed" }, done.world)
    assert.strictEqual(again.output, "Error: non-pending order cannot be cancelled")
    assert.strictEqual(
      call("cancel_pending_order", { order_id: "open", reason: "bored" }).output,
      "Error: invalid reason"
    )
  })

  test("replaces items once, charges the difference, and locks the order", (call) => {
    const done = call("modify_pending_order_items", swap("blue"))
    assert.strictEqual(done.world.orders.get("open")?.items[0]?.price, 12.5)
    assert.strictEqual(balance(done.world), 17.5)
    const locked = call("modify_pending_order_address", { order_id: "open", ...address }, done.world)
    assert.strictEqual(locked.output, "Error: non-pending order cannot be modified")
    assert.include(String(call("modify_pending_order_items", swap("old")).output), "not found or available")
    assert.include(String(call("modify_pending_order_items", swap("gold")).output), "insufficient gift card balance")
    assert.include(String(call("modify_pending_order_items", swap("blue", "none")).output), "payment method not found")
    assert.include(
      String(call("modify_pending_order_items", { ...swap("blue"), new_item_ids: [] }).output),
      "should match"
    )
  })

  test("changes the payment of an order that was paid once", (call) => {
    const done = call("modify_pending_order_payment", { order_id: "open", payment_method_id: "card" })
    assert.strictEqual(balance(done.world), 30)
    assert.lengthOf(done.world.orders.get("open")!.payment_history, 3)
    const same = call("modify_pending_order_payment", { order_id: "open", payment_method_id: "gift_card_1" })
    assert.include(String(same.output), "should be different")
    const twice = call("modify_pending_order_payment", { order_id: "open", payment_method_id: "card" }, done.world)
    assert.include(String(twice.output), "exactly one payment")
  })

  test("returns and exchanges delivered items, once", (call) => {
    const back = { order_id: "here", item_ids: ["red"], payment_method_id: "gift_card_1" }
    const returned = call("return_delivered_order_items", back)
    assert.strictEqual(returned.world.orders.get("here")?.status, "return requested")
    assert.include(String(call("return_delivered_order_items", back, returned.world).output), "cannot be returned")
    const card = call("return_delivered_order_items", { ...back, payment_method_id: "card" })
    assert.include(String(card.output), "original payment method or a gift card")
    const exchanged = call("exchange_delivered_order_items", { ...swap("blue"), order_id: "here" })
    assert.strictEqual(exchanged.world.orders.get("here")?.exchange_price_difference, 2.5)
    assert.strictEqual(exchanged.world.orders.get("here")?.items[0]?.item_id, "red")
  })

  test("finds users in any case of their names", (call) => {
    assert.strictEqual(call("find_user_id_by_email", { email: "ann@EXAMPLE.com" }).output, "ann")
    const named = { first_name: "ANN", last_name: "one", zip: "89073" }
    assert.strictEqual(call("find_user_id_by_name_zip", named).output, "ann")
    assert.strictEqual(call("find_user_id_by_name_zip", { ...named, zip: "0" }).output, "Error: user not found")
  })

  it("finds payments that do not add up, and none in an order that is paid", () => {
    const [, open] = order("open", "pending")
    assert.isFalse(paymentNotConserved({ row: open }))
    assert.isTrue(paymentNotConserved({ row: { ...open, payment_history: [] } }))
    assert.isTrue(paymentNotConserved({ row: { ...open, status: "cancelled" } }))
  })
})

describe("Faults", () => {
  it("reads a step as a call and its answer", () => {
    const fault = { id: "f", steps: [{ name: "think", arguments: {}, output: "" }], expectedMutations: [] }
    const [chat] = Result.getOrThrow(Faults.format.parse(JSON.stringify(fault)))
    const expected = new Chat.Builder()
    expected.message().called({ id: "step-0", tool: "think", args: {} })
    expected.message().answered("step-0", "")
    assert.deepStrictEqual(chat, expected.done({ task: "f" }))
  })
})
