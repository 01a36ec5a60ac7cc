/** `pnpm bench`: measures every figure and prints one table. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import type { Benchmark, Measured } from "./Figure.ts"
import * as Figure from "./Figure.ts"
import * as Machine from "./Machine.ts"
import * as Postgres from "./Postgres.ts"
import * as Report from "./Report.ts"

const usage = `pnpm bench [--only NAME]... [--runs N] [--json]

Measures the figures of the project against their marks. Progress goes to stderr, the table to stdout.

  --only NAME   one benchmark, by name; may be repeated
  --runs N      pairs a figure (7 unless said otherwise)
  --json        one JSON document instead of the table
  --list        names of the benchmarks`

/** Each module is loaded when it is measured, so that one which fails to load does not affect the others. */
const benchmarks: Record<string, () => Promise<{ readonly benchmark: Benchmark }>> = {
  append: () => import("../throughputbench/Append.ts"),
  flushes: () => import("../throughputbench/Flushes.ts"),
  verified: () => import("../throughputbench/Verified.ts"),
  checkpoints: () => import("../throughputbench/Checkpoints.ts"),
  replay: () => import("../throughputbench/Replay.ts"),
  scale: () => import("../throughputbench/Scale.ts"),
  sidecar: () => import("../throughputbench/Sidecar.ts"),
  "langgraph-sqlite": () =>
    import("../throughputbench/SqlitePeers.ts").then(({ langgraph }) => ({ benchmark: langgraph })),
  emmett: () => import("../throughputbench/SqlitePeers.ts").then(({ emmett }) => ({ benchmark: emmett })),
  postgres: () => import("../throughputbench/PostgresPeers.ts"),
  resume: () => import("../latencybench/Resume.ts"),
  "resume-length": () => import("../latencybench/ResumeLength.ts"),
  dial: () => import("../latencybench/Dial.ts"),
  bisect: () => import("../latencybench/Bisect.ts"),
  admission: () => import("../latencybench/Admission.ts"),
  revision: () => import("../latencybench/Revision.ts"),
  diff: () => import("../latencybench/Diff.ts"),
  commands: () => import("../latencybench/Commands.ts"),
  guarded: () => import("../latencybench/Guarded.ts"),
  "mcp-proxy": () => import("../latencybench/McpProxy.ts"),
  server: () => import("../serverbench/Benchmark.ts"),
  identity: () => import("../identity/Identity.ts"),
  weight: () => import("../weight/Weight.ts")
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word) => word !== "--"),
    options: {
      help: { type: "boolean", short: "h" },
      json: { type: "boolean" },
      list: { type: "boolean" },
      only: { type: "string", multiple: true },
      runs: { type: "string" }
    }
  })
  const names = values.only ?? Object.keys(benchmarks)
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name))
  const runs = Number(values.runs ?? 7)
  if (values.help === true || unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
    if (unknown.length > 0) process.stderr.write(`There is no benchmark ${unknown.join(", ")}. See --list\n`)
    process.stderr.write(`${usage}\n`)
    return values.help === true ? 0 : 2
  }
  if (values.list === true) {
    process.stdout.write(`${Object.keys(benchmarks).join("\n")}\n`)
    return 0
  }
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-bench-"))
  try {
    const machine = Machine.look(folder)
    const results: Array<Measured> = []
    for (const name of names) results.push(...(await measure(name, { folder, runs })))
    const document = Report.json(machine, results)
    const kept = new URL("../results/latest.json", import.meta.url)
    Fs.mkdirSync(new URL(".", kept), { recursive: true })
    Fs.writeFileSync(kept, `${JSON.stringify(document, undefined, 2)}\n`)
    process.stdout.write(values.json === true ? `${JSON.stringify(document)}\n` : print(machine, results))
    return 0
  } finally {
    await Postgres.stop()
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const measure = async (
  name: string,
  { folder, runs }: { readonly folder: string; readonly runs: number }
): Promise<ReadonlyArray<Measured>> => {
  const say = (line: string) => void process.stderr.write(`${name}: ${line}\n`)
  const own = Path.join(folder, name)
  Fs.mkdirSync(own)
  const began = performance.now()
  try {
    const { benchmark } = await benchmarks[name]!()
    const { url: postgres, urlOnRamDisk: postgresOnRamDisk } = Postgres
    const results = await benchmark.run({ folder: own, postgres, postgresOnRamDisk, runs, say })
    for (const result of results) {
      say(`${result.figure.name} ${result.absent ?? `${Figure.verdict(result)} ${result.note ?? ""}`}`)
    }
    say(`${((performance.now() - began) / 1000).toFixed(1)} s`)
    return results
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    say(`failed: ${cause instanceof Error ? cause.stack : reason}`)
    const figure = { name, title: name, better: "more", unit: "x", durability: "" } as const
    return [Figure.absent(figure, `failed: ${reason.split("\n")[0]}`)]
  } finally {
    Fs.rmSync(own, { recursive: true, force: true })
  }
}

const print = (machine: Machine.Machine, results: ReadonlyArray<Measured>): string =>
  `${Report.table(results)}\n\n${Report.machine(machine)}\n`

process.exitCode = await main()
