/** Requests an exchange of items of a delivered order for other variants of the same products; possible once. */
import type { Answer, Call } from "../World.ts"

type Args = {
  readonly order_id: string
  readonly item_ids: ReadonlyArray<string>
  readonly new_item_ids: ReadonlyArray<string>
  readonly payment_method_id: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "delivered") return { output: "Error: non-delivered order cannot be exchanged" }
  const held = order.items.map(({ item_id }) => item_id)
  const count = (ids: ReadonlyArray<string>, id: string): number => ids.filter((each) => each === id).length
  for (const id of args.item_ids) {
    if (count(args.item_ids, id) > count(held, id)) return { output: `Error: ${id} not found` }
  }
  if (args.item_ids.length !== args.new_item_ids.length) {
    return { output: "Error: the number of items to be exchanged should match" }
  }
  let difference = 0
  for (const [index, id] of args.item_ids.entries()) {
    const item = order.items.find(({ item_id }) => item_id === id)!
    const chosen = args.new_item_ids[index]!
    const variant = world.products.get(item.product_id)?.variants[chosen]
    if (variant === undefined || !variant.available) {
      return { output: `Error: new item ${chosen} not found or available` }
    }
    difference += variant.price - item.price
  }
  difference = Math.round(difference * 100) / 100
  const method = world.users.get(order.user_id)?.payment_methods[args.payment_method_id]
  if (method === undefined) return { output: "Error: payment method not found" }
  if (method.balance !== undefined && method.balance < difference) {
    return { output: "Error: insufficient gift card balance to pay for the price difference" }
  }
  const changed = {
    ...order,
    status: "exchange requested",
    exchange_items: [...args.item_ids].sort(),
    exchange_new_items: [...args.new_item_ids].sort(),
    exchange_payment_method_id: args.payment_method_id,
    exchange_price_difference: difference
  }
  return { output: changed, world: { orders: world.orders.set(args.order_id, changed) } }
}
