/** Kills an editor at every place of its commit path, with the queue and without it, and prints what was printed. */
import * as Kills from "./Kills.ts"

const matrix = async (how: "careful" | "careless"): Promise<void> => {
  let twice = 0
  let places = 0
  for (let place = 1; ; place++) {
    const { isKilled, printed, said } = await Kills.at(place, how)
    if (!isKilled) break
    places++
    if (printed.length > 2) twice++
    console.log(`${how}: killed at place ${place}, printed ${printed.join(", ")} ${said}`)
  }
  console.log(`${how}: ${places} places, a chapter printed twice after ${twice} of them`)
}

await matrix("careless")
await matrix("careful")
