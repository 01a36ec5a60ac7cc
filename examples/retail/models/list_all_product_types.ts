/**
 * Names every product, with its id.
 *
 * @since 0.1.0
 */
import type { Answer, Call } from "../World.ts"

export default ({ world }: Call<unknown>): Answer => ({
  output: Object.fromEntries(Array.from(world.products, ([id, { name }]) => [name, id]))
})
