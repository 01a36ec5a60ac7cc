/** Names every product, with its id. */
import type { Answer, Call } from "../World.ts"

export default ({ world }: Call<unknown>): Answer => ({
  output: Object.fromEntries(Array.from(world.products, ([id, { name }]) => [name, id]))
})
