/**
 * The kill matrix: each scenario is killed at every place of its commit path, with its medicine and without, and each
 * role that is a process of its own is killed before its print and after it. It prints what the press has printed.
 * `node main.ts loop` runs one scenario.
 */
import * as Kills from "./Kills.ts"

/** Counts how often trials end in the same way. */
const tally = () => {
  const counts = new Map<string, number>()
  return {
    add: ({ printed, said }: Kills.Trial): void => {
      const line = `${printed.length} printed, ${said}`
      counts.set(line, (counts.get(line) ?? 0) + 1)
    },
    print: (): void => {
      for (const [line, count] of counts) console.log(`  ${count} times: ${line}`)
    }
  }
}

const places = async (scenario: Kills.Scenario, how: "careful" | "careless"): Promise<void> => {
  const ends = tally()
  let place = 1
  for (; ; place++) {
    const trial = await Kills.at(scenario, { place }, how)
    if (!trial.isKilled) break
    ends.add(trial)
  }
  console.log(`${scenario}, ${how}: killed at ${place - 1} places`)
  ends.print()
}

const roles = async (scenario: Kills.Scenario): Promise<void> => {
  for (const role of Kills.scenarios[scenario]) {
    const ends = tally()
    for (const phase of ["before", "after"]) {
      ends.add(await Kills.at(scenario, { roles: [`${role}:${phase}`] }, "careful"))
    }
    console.log(`${scenario}: ${role} killed before its print, and after it`)
    ends.print()
  }
}

const [, , only] = process.argv
for (const scenario of Object.keys(Kills.scenarios) as ReadonlyArray<Kills.Scenario>) {
  if (only !== undefined && only !== scenario) continue
  await places(scenario, "careless")
  await places(scenario, "careful")
  await roles(scenario)
}
