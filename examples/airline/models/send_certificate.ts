/** Gives a user one of three certificates. The fourth call does nothing and answers null. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly user_id: string; readonly amount: number }>): Answer => {
  const { amount, user_id } = args
  const user = world.users.get(user_id)
  if (user === undefined) return { output: "Error: user not found" }
  const id = ["certificate_3221322", "certificate_3221323", "certificate_3221324"].find(
    (candidate) => user.payment_methods[candidate] === undefined
  )
  if (id === undefined) return { output: null }
  const payment_methods = { ...user.payment_methods, [id]: { source: "certificate", amount, id } }
  return {
    output: `Certificate ${id} added to user ${user_id} with amount ${amount}.`,
    world: { users: world.users.set(user_id, { ...user, payment_methods }) }
  }
}
