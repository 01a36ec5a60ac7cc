/** Changes the address of a pending order. */
import type { Address, Answer, Call } from "../World.ts"

export default ({ args, world }: Call<Address & { readonly order_id: string }>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "pending") return { output: "Error: non-pending order cannot be modified" }
  const { order_id, ...address } = args
  const changed = { ...order, address }
  return { output: changed, world: { orders: world.orders.set(order_id, changed) } }
}
