/** Fills one slot of a day: a meal names one restaurant; an attraction may name several places. */
import type { Answer, Call } from "../World.ts"

type Args = { readonly day: number; readonly slot: string; readonly value: string }

export default ({ args, world }: Call<Args>): Answer => {
  const isMeal = args.slot === "breakfast" || args.slot === "lunch" || args.slot === "dinner"
  const names = isMeal ? [args.value] : args.slot === "attraction" ? args.value.split(";") : []
  const chosen = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "-")
  let counts = isMeal ? world.restaurants : world.attractions
  for (const name of chosen) counts = counts.set(name, { count: (counts.get(name)?.count ?? 0) + 1 })
  const slots = world.slots.set(`${args.day} ${args.slot}`, { value: args.value })
  return { output: "filled", world: isMeal ? { slots, restaurants: counts } : { slots, attractions: counts } }
}
