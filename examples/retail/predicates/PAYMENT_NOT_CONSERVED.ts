/**
 * The payments for an order, minus its refunds, differ from the price of its items; a cancelled order costs nothing.
 */
import type { Change, Order } from "../World.ts"

export default ({ row }: Change<Order>): boolean => {
  const paid = row.payment_history.reduce(
    (total, { amount, transaction_type }) => total + (transaction_type === "payment" ? amount : -amount),
    0
  )
  const due = row.status === "cancelled" ? 0 : row.items.reduce((total, { price }) => total + price, 0)
  return Math.abs(paid - due) > 0.01
}
