/** Finds a user by name and postal code; upper and lower case of ASCII letters in the name are equal. */
import type { Answer, Call } from "../World.ts"

type Args = { readonly first_name: string; readonly last_name: string; readonly zip: string }

export default ({ args, world }: Call<Args>): Answer => {
  const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
  for (const [id, { address, name }] of world.users) {
    const isFirst = lower(name.first_name) === lower(args.first_name)
    const isLast = lower(name.last_name) === lower(args.last_name)
    if (isFirst && isLast && address.zip === args.zip) return { output: id }
  }
  return { output: "Error: user not found" }
}
