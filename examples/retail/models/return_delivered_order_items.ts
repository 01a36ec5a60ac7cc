/** Requests the return of items of a delivered order; possible once. */
import type { Answer, Call } from "../World.ts"

type Args = {
  readonly order_id: string
  readonly item_ids: ReadonlyArray<string>
  readonly payment_method_id: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "delivered") return { output: "Error: non-delivered order cannot be returned" }
  const method = world.users.get(order.user_id)?.payment_methods[args.payment_method_id]
  if (method === undefined) return { output: "Error: payment method not found" }
  const isFirst = args.payment_method_id === order.payment_history[0]?.payment_method_id
  if (!args.payment_method_id.includes("gift_card") && !isFirst) {
    return { output: "Error: payment method should be either the original payment method or a gift card" }
  }
  const held = order.items.map(({ item_id }) => item_id)
  const count = (ids: ReadonlyArray<string>, id: string): number => ids.filter((each) => each === id).length
  if (args.item_ids.some((id) => count(args.item_ids, id) > count(held, id))) {
    return { output: "Error: some item not found" }
  }
  const changed = {
    ...order,
    status: "return requested",
    return_items: [...args.item_ids].sort(),
    return_payment_method_id: args.payment_method_id
  }
  return { output: changed, world: { orders: world.orders.set(args.order_id, changed) } }
}
