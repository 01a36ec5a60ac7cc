/**
 * Measures a guarded tool that takes 10 ms by the bare function, and the import of the SDK, both as published: a key
 * that is durable before the call, the ledger, a readback, and the settlement.
 */
import * as ChildProcess from "node:child_process"
import * as Path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"

const calls = 100
const home = fileURLToPath(new URL("../../packages/sdk/", import.meta.url))
const bundle = pathToFileURL(Path.join(home, "dist/index.js")).href

const figures = {
  median: {
    name: "guarded",
    title: "a guarded tool that takes 10 ms, with readback, ÷ the bare function",
    better: "less",
    unit: "x",
    within: 1.3,
    durability: "FULL ÷ none"
  },
  tail: {
    name: "guarded-p99",
    title: `the same, the slowest of ${calls} calls but one`,
    better: "less",
    unit: "x",
    within: 1.5,
    durability: "FULL ÷ none"
  },
  import: {
    name: "import-sdk-wall",
    title: "import of the SDK in a fresh process",
    better: "less",
    unit: "ms",
    within: 150,
    durability: "none"
  },
  processor: {
    name: "import-sdk-processor",
    title: "the same, as processor time",
    better: "less",
    unit: "ms",
    durability: "none"
  }
} satisfies Record<string, Figure.Figure>

/** The overhead of a guarded tool, in the median and in the tail, and the time of the import. */
export const benchmark: Figure.Benchmark = {
  name: "guarded",
  run: async ({ folder, runs, say }) => {
    say("building the SDK")
    const options = { cwd: home, encoding: "utf8", shell: process.platform === "win32" } as const
    const { status, stderr, stdout } = ChildProcess.spawnSync("npm", ["run", "--silent", "build"], options)
    const reason = status === 0 ? undefined : `the SDK does not build: ${(stderr || stdout).trim().split("\n").at(-1)}`
    if (reason !== undefined) return Object.values(figures).map((figure) => Figure.absent(figure, reason))
    const script = Path.join(import.meta.dirname, "guardedCalls.ts")
    const pairs: Array<{ readonly bare: ReadonlyArray<number>; readonly ours: ReadonlyArray<number> }> = []
    const imports: Array<readonly [wall: number, processor: number]> = []
    for (let run = -1; run < runs; run++) {
      say(`guarded ${run + 2} of ${runs + 1}`)
      const store = Path.join(folder, `guarded-${run}.db`)
      const pair = told([script, bundle, store, String(calls)]) as (typeof pairs)[number]
      const imported = told(["--input-type=module", "--eval", timed]) as (typeof imports)[number]
      if (run < 0) continue
      pairs.push(pair)
      imports.push(imported)
    }
    const ratios = (of: (times: ReadonlyArray<number>) => number) => pairs.map(({ bare, ours }) => of(ours) / of(bare))
    const { bare = [], ours = [] } = pairs.at(-1) ?? {}
    const note = `${Figure.round(Statistics.median(ours))} ÷ ${Figure.round(Statistics.median(bare))} ms`
    return [
      Figure.measured(figures.median, ratios(Statistics.median), note),
      Figure.measured(figures.tail, ratios(slowestButOne)),
      Figure.measured(
        figures.import,
        imports.map(([wall]) => wall)
      ),
      Figure.measured(
        figures.processor,
        imports.map(([, processor]) => processor)
      )
    ]
  }
}

const slowestButOne = (times: ReadonlyArray<number>): number => [...times].sort((one, other) => other - one)[1] ?? 0

const timed =
  `const [began, from] = [performance.now(), process.cpuUsage()]; await import(${JSON.stringify(bundle)}); ` +
  "const wall = performance.now() - began; const { system, user } = process.cpuUsage(from); " +
  "console.log(JSON.stringify([wall, (system + user) / 1000]))"

/** Runs a fresh process, and answers what it prints as JSON. */
const told = (words: ReadonlyArray<string>): unknown => {
  const { status, stderr, stdout } = ChildProcess.spawnSync(process.execPath, words, { encoding: "utf8" })
  if (status !== 0) throw new Error(`the process of a guarded tool ended with ${status}: ${stderr.slice(0, 2000)}`)
  return JSON.parse(stdout)
}
