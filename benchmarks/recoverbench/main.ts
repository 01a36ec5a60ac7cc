/** `pnpm bench:recover`: runs the frozen universe and prints the results of recovery. */
import { parseArgs } from "node:util"
import * as Requirement from "../src/Requirement.ts"
import * as External from "./external/External.ts"
import * as Requirements from "./Requirements.ts"
import * as Results from "./Results.ts"
import * as Tables from "./Tables.ts"
import * as Universe from "./universe/Universe.ts"

const usage = `pnpm bench:recover [--repeats N] [--without-peers] [--json]

Runs every case of the universe under four strategies of recovery, and the audits. Progress goes to stderr. Exits with 1 if a
requirement is missed, and names it.

  --repeats N      repeats of each compared case, a whole number from 1 on (${Universe.repeats} unless said otherwise)
  --without-peers  leaves out LangGraph.js, which is installed where it is needed first
  --json           one JSON document instead of tables`

const options = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  repeats: { type: "string" },
  "without-peers": { type: "boolean" }
} as const

/** Reads the options; an error where one is none of them. */
const read = () => {
  const args = process.argv.slice(2).filter((word) => word !== "--")
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}

/** Pairs of runs in which nothing fails. */
const timed = 7

const main = async (): Promise<number> => {
  const values = read()
  if (values instanceof Error) {
    process.stderr.write(`${values.message}\n\n${usage}\n`)
    return 2
  }
  const repeats = Number(values.repeats ?? Universe.repeats)
  if (values.help === true || !Number.isInteger(repeats) || repeats < 1) {
    process.stderr.write(`${usage}\n`)
    return values.help === true ? 0 : 2
  }
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  say("warming up")
  await Results.measure(1)
  const measured = await Results.measure(repeats, say)
  const results = await Results.of(measured, timed)
  const external = values["without-peers"] === true ? undefined : await External.measure(repeats)
  const requirements = Requirements.all({ external, measured, results })
  const tables = () => [
    Requirement.print(requirements),
    Tables.print(results),
    ...(external === undefined ? [] : [Tables.external(external)])
  ]
  const document = () => JSON.stringify({ ...results, external, requirements })
  process.stdout.write(`${values.json === true ? document() : tables().join("\n\n")}\n`)
  return Requirement.exitCode(requirements, say)
}

process.exitCode = await main()
