/** Finds a user by email address; upper and lower case of ASCII letters are equal. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly email: string }>): Answer => {
  const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
  for (const [id, user] of world.users) {
    if (lower(user.email) === lower(args.email)) return { output: id }
  }
  return { output: "Error: user not found" }
}
