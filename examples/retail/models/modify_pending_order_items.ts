/**
 * Replaces items of a pending order by other variants of the same products. This is possible once; afterwards the
 * order cannot be changed.
 */
import type { Answer, Call, Payment } from "../World.ts"

type Args = {
  readonly order_id: string
  readonly item_ids: ReadonlyArray<string>
  readonly new_item_ids: ReadonlyArray<string>
  readonly payment_method_id: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "pending") return { output: "Error: non-pending order cannot be modified" }
  const held = order.items.map(({ item_id }) => item_id)
  const count = (ids: ReadonlyArray<string>, id: string): number => ids.filter((each) => each === id).length
  for (const id of args.item_ids) {
    if (count(args.item_ids, id) > count(held, id)) return { output: `Error: ${id} not found` }
  }
  if (args.item_ids.length !== args.new_item_ids.length) {
    return { output: "Error: the number of items to be exchanged should match" }
  }
  let items = order.items
  let difference = 0
  const replaced: Array<readonly [string, (typeof order.items)[number]]> = []
  for (const [index, id] of args.item_ids.entries()) {
    const item = order.items.find(({ item_id }) => item_id === id)!
    const chosen = args.new_item_ids[index]!
    const variant = world.products.get(item.product_id)?.variants[chosen]
    if (variant === undefined || !variant.available) {
      return { output: `Error: new item ${chosen} not found or available` }
    }
    difference += variant.price - item.price
    replaced.push([id, { ...item, item_id: chosen, price: variant.price, options: variant.options }])
  }
  const user = world.users.get(order.user_id)
  const method = user?.payment_methods[args.payment_method_id]
  if (user === undefined || method === undefined) return { output: "Error: payment method not found" }
  if (method.balance !== undefined && method.balance < difference) {
    return { output: "Error: insufficient gift card balance to pay for the new item" }
  }
  for (const [id, item] of replaced) {
    const at = items.findIndex(({ item_id }) => item_id === id)
    items = items.map((each, index) => (index === at ? item : each))
  }
  const payment: Payment = {
    transaction_type: difference > 0 ? "payment" : "refund",
    amount: Math.abs(difference),
    payment_method_id: args.payment_method_id
  }
  const changed = {
    ...order,
    items,
    status: "pending (item modified)",
    payment_history: [...order.payment_history, payment]
  }
  const paid =
    method.balance === undefined
      ? user
      : {
          ...user,
          payment_methods: {
            ...user.payment_methods,
            [method.id]: { ...method, balance: Math.round((method.balance - difference) * 100) / 100 }
          }
        }
  return {
    output: changed,
    world: { orders: world.orders.set(args.order_id, changed), users: world.users.set(order.user_id, paid) }
  }
}
