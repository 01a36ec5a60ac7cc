/**
 * A server under outages, as a table: runs of the travel agent over HTTP on SQLite and on Postgres, while the server is
 * killed with SIGKILL and Postgres is restarted and killed.
 *
 * Every run has to end, everything acknowledged has to be there, no stream may have a gap or a repetition, and the
 * world's own database may hold each effect once. Exits with 1 if a claim breaks.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Outage from "./Outage.ts"

const usage =
  "Usage: node examples/travel-booking/server/main.ts [--blows N] [--callers N] [--only sqlite|postgres|node]"

const number = (name: string, text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`--${name} must be a number, found ${text}`)
  return Number(text)
}

const options = () => {
  try {
    const { values } = parseArgs({
      options: {
        blows: { type: "string", default: "12" },
        callers: { type: "string", default: "8" },
        only: { type: "string" }
      }
    })
    const { blows, callers, only } = values
    if (only !== undefined && !["sqlite", "postgres", "node"].includes(only))
      throw new Error(`there is no part ${only}`)
    return {
      does: (part: string) => only === undefined || only === part,
      blows: number("blows", blows),
      callers: number("callers", callers)
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exit(2)
  }
}

const { blows, callers, does } = options()
const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const endure = async (
  outage: Pick<Outage.Outage, "isNode" | "restart" | "store">,
  kinds: ReadonlyArray<Outage.Blow>
) => {
  const report = await Outage.run({
    ...outage,
    callers,
    blows: Array.from({ length: blows }, (_, at) => kinds[at % kinds.length] ?? "kill"),
    everyMillis: 4000,
    tell: (text) => print(`  ${text}`)
  })
  const putOff = [...report.putOff].map(([status, count]) => `${count} × ${status === 0 ? "no answer" : status}`)
  print(`${report.ended} of ${report.runs} runs ended; ${report.lost} of ${report.acknowledged} events lost`)
  print(
    `${report.doubled} doubled effects in the world's own database; ${report.recognised} of ${report.keys} keys recognised`
  )
  print(`streams opened again: ${report.reopened}; requests put off: ${putOff.join(", ") || "none"}`)
  return report.problems
}

const problems: Array<string> = []
if (does("sqlite")) {
  print(`SQLite: ${blows} kills of the server under ${callers} callers`)
  const folder = mkdtempSync(join(tmpdir(), "backstitch-outage-"))
  try {
    problems.push(...(await endure({ store: join(folder, "trace.db") }, ["kill"])))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
for (const part of ["postgres", "node"].filter(does)) {
  const server = part === "node" ? "a node of a cluster" : "the server"
  print(
    `Postgres: ${blows} restarts of it, kills of ${server} and kills of Postgres, in turn, under ${callers} callers`
  )
  const { restart, stop, url } = await Postgres.start()
  const signals = { restart: "SIGINT", crash: "SIGKILL" } as const
  const again = (how: "restart" | "crash", downMillis: number) => restart(signals[how], downMillis)
  const outage = { store: url, restart: again, isNode: part === "node" }
  try {
    problems.push(...(await endure(outage, ["restart", "kill", "crash"])))
  } finally {
    await stop()
  }
}
for (const problem of problems.slice(0, 20)) print(`BROKEN: ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
