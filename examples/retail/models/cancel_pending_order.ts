/** Cancels a pending order: every payment is refunded, and a refund to a gift card is available at once. */
import type { Answer, Call, Payment } from "../World.ts"

type Args = { readonly order_id: string; readonly reason: string }

export default ({ args, world }: Call<Args>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "pending") return { output: "Error: non-pending order cannot be cancelled" }
  if (args.reason !== "no longer needed" && args.reason !== "ordered by mistake") {
    return { output: "Error: invalid reason" }
  }
  const user = world.users.get(order.user_id)
  if (user === undefined) return { output: "Error: user not found" }
  const refunds = order.payment_history.map(
    ({ amount, payment_method_id }): Payment => ({ transaction_type: "refund", amount, payment_method_id })
  )
  let methods = user.payment_methods
  for (const { amount, payment_method_id: id } of refunds) {
    const method = methods[id]
    if (method?.balance === undefined) continue
    methods = { ...methods, [id]: { ...method, balance: Math.round((method.balance + amount) * 100) / 100 } }
  }
  const changed = {
    ...order,
    status: "cancelled",
    cancel_reason: args.reason,
    payment_history: [...order.payment_history, ...refunds]
  }
  return {
    output: changed,
    world: {
      orders: world.orders.set(args.order_id, changed),
      users: world.users.set(order.user_id, { ...user, payment_methods: methods })
    }
  }
}
