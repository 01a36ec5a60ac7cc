/** Reads a user. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly user_id: string }>): Answer => ({
  output: world.users.get(args.user_id) ?? "Error: user not found"
})
