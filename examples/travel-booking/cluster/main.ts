/**
 * A cluster under siege, as a table: node processes on loopback and one Postgres, while nodes are killed with SIGKILL,
 * added, drained, and paused with SIGSTOP past their lock.
 *
 * Every run has to end, every acknowledged transition has to be there, and the world's own database may hold each
 * effect once. Exits with 1 if a claim breaks. Without `DATABASE_URL` a Postgres is started.
 */
import * as Os from "node:os"
import { parseArgs } from "node:util"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Siege from "./Siege.ts"

const usage = "Usage: node examples/travel-booking/cluster/main.ts [--runs N] [--only throughput|siege]"

const options = () => {
  try {
    const { values } = parseArgs({ options: { only: { type: "string" }, runs: { type: "string", default: "200" } } })
    const { only, runs } = values
    if (only !== undefined && only !== "throughput" && only !== "siege") throw new Error(`there is no part ${only}`)
    if (!/^[1-9]\d{0,4}$/.test(runs)) throw new Error(`--runs must be a number, found ${runs}`)
    return { does: (part: string) => only === undefined || only === part, runs: Number(runs) }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exit(2)
  }
}

const { does, runs } = options()
const print = (text = ""): void => {
  process.stdout.write(`${text}\n`)
}

const blows: ReadonlyArray<Siege.Blow> = [
  ...(["kill", "pause", "kill", "drain", "kill", "add", "pause", "drain"] as const),
  ...(["kill", "kill", "pause", "kill", "drain", "kill"] as const)
]

const seconds = (millis: number): string => (millis / 1000).toFixed(1)

/** The value below which a share of sorted numbers lies. */
const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const given = process.env["DATABASE_URL"]
const server =
  given === undefined || given === "" ? await Postgres.start() : { url: given, stop: () => Promise.resolve() }
const problems: Array<string> = []
try {
  const [cpu] = Os.cpus()
  print(
    `${Os.cpus().length} processors (${cpu?.model ?? "unknown"}) for the nodes, Postgres, the world and the driver;`
  )
  print(`load before: ${Os.loadavg()[0]?.toFixed(1)}`)
  if (does("throughput")) {
    print()
    print("nodes   runs   seconds   runs/s   commits/s")
    for (const nodes of [1, 2, 3]) {
      const siege = { server: server.url, runs, nodes, blows: [], everyMillis: 0, shardLockMillis: 15_000 }
      const report = await Siege.run(siege)
      problems.push(...report.problems)
      const [perSecond, commits] = [report.ended, report.acknowledged].map((count) => (1000 * count) / report.millis)
      const cells = [nodes, report.ended, seconds(report.millis), perSecond?.toFixed(1), commits?.toFixed(0)]
      print(cells.map((cell, index) => String(cell).padStart([5, 7, 10, 9, 12][index] ?? 0)).join(""))
    }
  }
  if (does("siege")) {
    print()
    print(`Siege: ${runs} runs on 3 nodes, 2 s of thought before a step; a blow every 2.5 s, and a lock of 6 s`)
    const report = await Siege.run({
      server: server.url,
      runs,
      nodes: 3,
      blows,
      everyMillis: 2500,
      shardLockMillis: 6000,
      thinkMillis: 2000,
      tell: (text) => print(`  ${text}`)
    })
    problems.push(...report.problems)
    print(`${report.ended} of ${runs} runs ended, after ${seconds(report.millis)} s and ${report.blows} blows`)
    print(`${report.lost} of ${report.acknowledged} acknowledged commits lost, ${report.transitions} transitions`)
    print(`${report.doubled} doubled effects in the world's own database`)
    const [first, last] = [
      report.takeovers.map(([each]) => each ?? 0),
      report.takeovers.map((each) => each.at(-1) ?? 0)
    ]
    print(`${report.takeovers.length} nodes were lost with runs at work. Until another node went on with`)
    for (const [which, times] of [["the first", first] as const, ["the last", last] as const]) {
      const sorted = times.sort((one, other) => one - other)
      print(`  ${which} of them: half within ${seconds(at(sorted, 0.5))} s, all within ${seconds(at(sorted, 1))} s`)
    }
  }
} finally {
  await server.stop()
}
for (const problem of problems.slice(0, 20)) print(`BROKEN: ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
