/** `pnpm bench:server`: measures the server under load, and prints one table. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import * as Machine from "../src/Machine.ts"
import * as Postgres from "../src/Postgres.ts"
import * as Report from "../src/Report.ts"
import * as Benchmark from "./Benchmark.ts"

const usage = `pnpm bench:server [--full] [--only load|fanout] [--readers N] [--profile FOLDER]

Runs that 1, 16 and 64 clients begin, follow and decide over HTTP, on SQLite and on Postgres, beside the same steps without
the server; and the commits of a run, sent to 1,000 readers. Takes two minutes, with --full ten.

  --full            six times as many runs, and five pairs instead of two
  --only NAME       one part
  --readers N       another number of readers
  --profile FOLDER  processor profiles of the server, one for each part`

const options = {
  full: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
  only: { type: "string" },
  profile: { type: "string" },
  readers: { type: "string" }
} as const

/** Reads the options; an error where one is none of them. */
const read = () => {
  const args = process.argv.slice(2).filter((word) => word !== "--")
  try {
    const { values } = parseArgs({ args, options })
    const { only, readers = String(Benchmark.short.readers) } = values
    if (only !== undefined && only !== "load" && only !== "fanout") return new Error(`There is no part ${only}`)
    if (!/^[1-9]\d{0,5}$/.test(readers)) return new Error(`--readers has to be a number, found ${readers}`)
    return { ...values, only, readers: Number(readers) } as const
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}

const main = async (): Promise<number> => {
  const values = read()
  if (values instanceof Error || values.help === true) {
    process.stderr.write(values instanceof Error ? `${values.message}\n\n${usage}\n` : `${usage}\n`)
    return values instanceof Error ? 2 : 0
  }
  const { full, only, profile, readers } = values
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-bench-"))
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const node = profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", Path.resolve(profile)]
  try {
    const machine = Machine.look(folder)
    const context = { folder, postgres: Postgres.url, runs: full ? 5 : 2, say }
    const extent = { ...(full ? Benchmark.full : Benchmark.short), only, readers, options: node }
    process.stdout.write(`${Report.table(await Benchmark.measure(context, extent))}\n\n${Report.machine(machine)}\n`)
    return 0
  } finally {
    await Postgres.stop()
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
