/** Changes the address of a user. */
import type { Address, Answer, Call } from "../World.ts"

export default ({ args, world }: Call<Address & { readonly user_id: string }>): Answer => {
  const user = world.users.get(args.user_id)
  if (user === undefined) return { output: "Error: user not found" }
  const { user_id, ...address } = args
  const changed = { ...user, address }
  return { output: changed, world: { users: world.users.set(user_id, changed) } }
}
