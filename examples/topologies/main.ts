/**
 * The kill matrix: each scenario is killed at every place of its commit path, without its medicine and with it, and
 * each role that is a process of its own is killed in each phase of its work. It exits with 1 if a scenario with its
 * medicine does something twice, or comes to another end than it promises. `node main.ts loop` runs one scenario.
 */
import * as Kills from "./Kills.ts"
import * as Scenario from "./Scenario.ts"

const names = Object.keys(Scenario.all) as ReadonlyArray<Scenario.Name>
const isName = (text: string): text is Scenario.Name => Object.hasOwn(Scenario.all, text)

/** Counts trials by their end, and prints them as one row with the ends that broke a promise. */
const tally = (name: Scenario.Name) => {
  const ends = new Map<string, number>()
  let trials = 0
  let kept = 0
  return {
    add: (trial: Kills.Trial): void => {
      const broken = Scenario.broken(name, trial)
      trials++
      if (broken.length === 0) kept++
      for (const each of broken) ends.set(each, (ends.get(each) ?? 0) + 1)
    },
    print: (how: Kills.How, killed: string): void => {
      const count = (value: number) => String(value).padStart(7)
      console.log(`${name.padEnd(10)} ${how.padEnd(9)} ${killed.padEnd(26)} ${count(trials)} ${count(kept)}`)
      for (const [end, times] of ends) console.log(`  ${times} × ${end.slice(0, 100)}`)
      if (how === "careful" && kept < trials) process.exitCode = 1
    }
  }
}

const places = async (name: Scenario.Name, how: Kills.How): Promise<void> => {
  const ends = tally(name)
  for (let place = 1; ; place++) {
    const trial = await Kills.at(name, { place }, how)
    if (!trial.isKilled) break
    ends.add(trial)
  }
  ends.print(how, "the process, each place")
}

const roles = async (name: Scenario.Name): Promise<void> => {
  for (const role of Scenario.all[name].roles) {
    const ends = tally(name)
    for (const phase of Kills.phases) ends.add(await Kills.at(name, { roles: [`${role}:${phase}`] }, "careful"))
    ends.print("careful", `${role}, each phase`)
  }
}

const [, , only] = process.argv
if (only !== undefined && !isName(only)) {
  console.error(`There is no scenario ${only}: name one of ${names.join(", ")}.`)
  process.exit(2)
}
console.log(`${"scenario".padEnd(10)} ${"how".padEnd(9)} ${"killed".padEnd(26)}  trials    kept`)
for (const name of names.filter((each) => only === undefined || each === only)) {
  await places(name, "careless")
  await places(name, "careful")
  await roles(name)
}
