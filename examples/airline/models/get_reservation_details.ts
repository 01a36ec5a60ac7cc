/** Reads a reservation. For one that is not there the tool, oddly, names the user. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly reservation_id: string }>): Answer => ({
  output: world.reservations.get(args.reservation_id) ?? "Error: user not found"
})
