/** Reads a product with all its variants. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly product_id: string }>): Answer => ({
  output: world.products.get(args.product_id) ?? "Error: product not found"
})
