/** `pnpm bench:stream`: runs the frozen scenarios under every policy, prints the results and draws the plots. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Requirement from "../src/Requirement.ts"
import * as Grid from "./audits/Grid.ts"
import * as Plots from "./Plots.ts"
import * as Results from "./Results.ts"
import * as Tables from "./Tables.ts"

const seeds = 10

const usage = `pnpm bench:stream [--seeds N] [--json]

Runs every scenario, ratio, kind of revision and policy, and the audits of timing, several revisions and length. Writes
summary.txt and the plots to benchmarks/streambench/results. Progress goes to stderr. Exits with 1 if a requirement is
missed, and names it.

  --seeds N  seeds of the main experiment, a whole number from 1 on (${seeds} unless said otherwise)
  --json     one JSON document instead of tables`

const options = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  seeds: { type: "string" }
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

const main = async (): Promise<number> => {
  const values = read()
  if (values instanceof Error) {
    process.stderr.write(`${values.message}\n\n${usage}\n`)
    return 2
  }
  const count = Number(values.seeds ?? seeds)
  if (values.help === true || !Number.isInteger(count) || count < 1) {
    process.stderr.write(`${usage}\n`)
    return values.help === true ? 0 : 2
  }
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const results = Results.of(await Results.measure(Grid.plan(count), say), count)
  const folder = fileURLToPath(new URL("./results/", import.meta.url))
  Fs.mkdirSync(folder, { recursive: true })
  const tables = `${Tables.print(results)}\n`
  Fs.writeFileSync(Path.join(folder, "summary.txt"), tables)
  for (const [name, svg] of Object.entries(await Plots.all(results))) {
    Fs.writeFileSync(Path.join(folder, `${name}.svg`), svg)
  }
  process.stdout.write(values.json === true ? `${JSON.stringify(results)}\n` : tables)
  return Requirement.exitCode(results.requirements, say)
}

process.exitCode = await main()
