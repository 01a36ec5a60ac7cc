/**
 * Finds a user by address of mail, whatever its case.
 *
 * @since 0.1.0
 */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly email: string }>): Answer => {
  for (const [id, user] of world.users) {
    if (user.email.toLowerCase() === args.email.toLowerCase()) return { output: id }
  }
  return { output: "Error: user not found" }
}
