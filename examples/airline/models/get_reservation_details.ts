/** Reads a reservation. If it does not exist, the error of the tool, oddly, is about the user. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly reservation_id: string }>): Answer => ({
  output: world.reservations.get(args.reservation_id) ?? "Error: user not found"
})
