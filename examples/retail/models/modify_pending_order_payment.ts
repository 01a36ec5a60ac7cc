/** Pays for a pending order with another method, and refunds the first. */
import type { Answer, Call, Payment } from "../World.ts"

type Args = { readonly order_id: string; readonly payment_method_id: string }

export default ({ args, world }: Call<Args>): Answer => {
  const order = world.orders.get(args.order_id)
  if (order === undefined) return { output: "Error: order not found" }
  if (order.status !== "pending") return { output: "Error: non-pending order cannot be modified" }
  const user = world.users.get(order.user_id)
  const method = user?.payment_methods[args.payment_method_id]
  if (user === undefined || method === undefined) return { output: "Error: payment method not found" }
  const [first, ...more] = order.payment_history
  if (first === undefined || more.length > 0 || first.transaction_type !== "payment") {
    return { output: "Error: there should be exactly one payment for a pending order" }
  }
  if (first.payment_method_id === args.payment_method_id) {
    return { output: "Error: the new payment method should be different from the current one" }
  }
  const { amount } = first
  if (method.balance !== undefined && method.balance < amount) {
    return { output: "Error: insufficient gift card balance to pay for the order" }
  }
  const moved = (id: string, sum: number) => {
    const held = user.payment_methods[id]
    if (held?.balance === undefined) return {}
    return { [id]: { ...held, balance: Math.round((held.balance + sum) * 100) / 100 } }
  }
  const history: ReadonlyArray<Payment> = [
    first,
    { transaction_type: "payment", amount, payment_method_id: args.payment_method_id },
    { transaction_type: "refund", amount, payment_method_id: first.payment_method_id }
  ]
  const changed = { ...order, payment_history: history }
  const payment_methods = {
    ...user.payment_methods,
    ...moved(args.payment_method_id, -amount),
    ...moved(first.payment_method_id, amount)
  }
  return {
    output: changed,
    world: {
      orders: world.orders.set(args.order_id, changed),
      users: world.users.set(order.user_id, { ...user, payment_methods })
    }
  }
}
