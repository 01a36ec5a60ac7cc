/** `pnpm bench:recover`: runs the frozen universe and prints the results of recovery. */
import { parseArgs } from "node:util"
import * as External from "./external/External.ts"
import * as Results from "./Results.ts"
import * as Tables from "./Tables.ts"
import * as Universe from "./universe/Universe.ts"

const usage = `pnpm bench:recover [--repeats N] [--without-peers] [--json]

Runs every case of the universe under four strategies of recovery, and the audits. Progress goes to stderr.

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
  const results = await Results.of(await Results.measure(repeats, say), timed)
  const external = values["without-peers"] === true ? undefined : await External.measure(repeats)
  const tables = () => [Tables.print(results), ...(external === undefined ? [] : [Tables.external(external)])]
  process.stdout.write(`${values.json === true ? JSON.stringify({ ...results, external }) : tables().join("\n\n")}\n`)
  return 0
}

process.exitCode = await main()
