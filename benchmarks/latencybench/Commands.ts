/** Waiting times of a person: the first output of the built command line, and a hundred recorded runs. */
import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Figure from "../src/Figure.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

const figures = {
  help: {
    name: "cli-help",
    title: "built CLI, first output of --help",
    better: "less",
    unit: "ms",
    within: 300,
    aim: 150,
    durability: "none"
  },
  runs: {
    name: "cli-runs",
    title: "built CLI, first output of `runs` on a store",
    better: "less",
    unit: "ms",
    within: 300,
    aim: 200,
    durability: "reads"
  },
  recorded: {
    name: "airline",
    title: "import and replay of the hundred airline runs",
    better: "less",
    unit: "s",
    within: 10,
    durability: "in memory"
  }
} satisfies Record<string, Figure.Figure>

/**
 * The command line and the recorded runs. `BACKSTITCH_DATA` names the folder of the recordings; default:
 * `../shared/data`.
 */
export const benchmark: Figure.Benchmark = {
  name: "commands",
  run: async ({ folder, runs, say }) => {
    const results: Array<Figure.Measured> = []
    const program = Path.join(root, "apps", "cli", "dist", "main.js")
    say("building the CLI")
    const built = ChildProcess.spawnSync("npm", ["run", "--silent", "build"], {
      cwd: Path.join(root, "apps", "cli"),
      encoding: "utf8",
      shell: process.platform === "win32"
    })
    if (built.status !== 0 || !Fs.existsSync(program)) {
      const reason = `the CLI does not build: ${(built.stderr ?? "").trim().split("\n")[0]}`
      results.push(Figure.absent(figures.help, reason), Figure.absent(figures.runs, reason))
    } else {
      const store = Path.join(folder, "cli.db")
      const time = async (...args: ReadonlyArray<string>) => {
        const samples: Array<number> = []
        for (let run = -1; run < runs; run++) {
          const millis = await firstOutput(program, args)
          if (run >= 0) samples.push(millis)
        }
        return samples
      }
      results.push(Figure.measured(figures.help, await time("--help")))
      results.push(Figure.measured(figures.runs, await time("runs", "--store", store)))
    }
    results.push(recorded(say))
    return results
  }
}

/** Milliseconds from the start of the process to its first byte of output, on either stream. */
const firstOutput = (program: string, args: ReadonlyArray<string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let millis: number | undefined
    const child = ChildProcess.spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    const note = () => {
      millis ??= performance.now() - began
    }
    child.stdout.on("data", note)
    child.stderr.on("data", note)
    child.once("error", reject)
    child.once("close", () =>
      millis === undefined ? reject(new Error(`${args.join(" ")} printed nothing`)) : resolve(millis)
    )
  })

const recorded = (say: (line: string) => void): Figure.Measured => {
  const data = process.env["BACKSTITCH_DATA"] ?? Path.join(root, "..", "shared", "data")
  if (!Fs.existsSync(Path.join(data, "tau-bench-airline", "dev"))) {
    return Figure.absent(figures.recorded, "the recordings are not on this machine; BACKSTITCH_DATA names their folder")
  }
  say("airline")
  const began = performance.now()
  const script = Path.join(root, "examples", "recorded", "checkRecorded.ts")
  const { status, stderr, stdout } = ChildProcess.spawnSync(
    process.execPath,
    ["--no-warnings", script, data, "--split", "dev", "--only", "airline", "--json"],
    { encoding: "utf8", maxBuffer: 2 ** 26 }
  )
  if (status !== 0) return Figure.absent(figures.recorded, `the check failed: ${stderr.trim().split("\n")[0]}`)
  const { airline } = JSON.parse(stdout) as { readonly airline: { readonly runs: number; readonly messages: number } }
  const seconds = (performance.now() - began) / 1000
  return Figure.measured(figures.recorded, [seconds], `${airline.runs} runs, ${airline.messages} messages, bisects too`)
}
