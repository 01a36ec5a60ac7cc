/** Reads an order. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly order_id: string }>): Answer => ({
  output: world.orders.get(args.order_id) ?? "Error: order not found"
})
