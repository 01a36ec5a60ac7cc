/**
 * Kills each scenario at every place of its commit path, with its medicine and without it, and prints what the press
 * has printed. `node main.ts loop` runs one scenario.
 */
import * as Kills from "./Kills.ts"

const matrix = async (scenario: Kills.Scenario, how: "careful" | "careless"): Promise<void> => {
  const counts = new Map<string, number>()
  let places = 0
  for (let place = 1; ; place++) {
    const { isKilled, printed, said } = await Kills.at(scenario, place, how)
    if (!isKilled) break
    places++
    const line = `${printed.length} printed, ${said}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  console.log(`${scenario}, ${how}: killed at ${places} places`)
  for (const [line, count] of counts) console.log(`  ${count} times: ${line}`)
}

const [, , only] = process.argv
for (const scenario of ["crew", "loop", "pipeline"] as const) {
  if (only !== undefined && only !== scenario) continue
  await matrix(scenario, "careless")
  await matrix(scenario, "careful")
}
