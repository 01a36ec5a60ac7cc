/**
 * Reads a product with all its variants.
 *
 * @since 0.1.0
 */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly product_id: string }>): Answer => ({
  output: world.products.get(args.product_id) ?? "Error: product not found"
})
