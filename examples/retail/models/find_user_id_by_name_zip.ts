/**
 * Finds a user by name, whatever its case, and postal code.
 *
 * @since 0.1.0
 */
import type { Answer, Call } from "../World.ts"

type Args = { readonly first_name: string; readonly last_name: string; readonly zip: string }

export default ({ args, world }: Call<Args>): Answer => {
  for (const [id, { address, name }] of world.users) {
    const isFirst = name.first_name.toLowerCase() === args.first_name.toLowerCase()
    const isLast = name.last_name.toLowerCase() === args.last_name.toLowerCase()
    if (isFirst && isLast && address.zip === args.zip) return { output: id }
  }
  return { output: "Error: user not found" }
}
