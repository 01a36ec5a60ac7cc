/**
 * Counts what recorded runs show, from a folder with `tau-bench-airline/<split>/runs.jsonl.gz` beside its `db/`.
 *
 * ```sh
 * pnpm check:recorded ../shared/data --split dev --json
 * ```
 *
 * Exit code 0 when every answer, hash and onset comes out; 1 when one does not
 * or the data is absent; 2 when the command cannot be understood.
 *
 * @since 0.1.0
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as DataFolder from "@backstitch/importers/DataFolder"
import * as Library from "@backstitch/runtime/Library"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Figures from "./Figures.ts"
import * as Pack from "./Pack.ts"

const usage = "Usage: check:recorded DIR [--split NAME] [--json]"

type Report = Figures.Figures | { readonly absent: true; readonly missing: string }

/**
 * Computes the figures of a split, or says what is missing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const check = Effect.fn("checkRecorded")(function* (folder: string, split: string) {
  const dataset = join(folder, "tau-bench-airline")
  const files = ["runs.jsonl.gz", "runs.jsonl"].map((name) => join(dataset, split, name))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) return { absent: true, missing: files[0]! } satisfies Report
  if (!existsSync(join(dataset, "db"))) return { absent: true, missing: join(dataset, "db") } satisfies Report
  const data = yield* DataFolder.read(dataset)
  const pack = yield* Pack.load
  const layers = Library.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))
  return yield* Figures.compute({ file, pack, data }).pipe(Effect.provide(layers))
})

const isComplete = (report: Report): boolean =>
  !("absent" in report) &&
  report.runs > 0 &&
  report.outputsReproduced === report.toolCalls &&
  report.recordedHashesReproduced === report.recordedHashes &&
  report.bisectAgrees === report.bisectRuns

const print = (report: Report): string => {
  if ("absent" in report) return `airline: absent, there is no ${report.missing}`
  const width = Math.max(...Object.keys(report).map((name) => name.length))
  const rows = Object.entries(report).map(([name, count]) => `  ${name.padEnd(width)}  ${String(count).padStart(6)}`)
  return ["airline", ...rows].join("\n")
}

/** What is asked for, or what is wrong with the asking. */
const ask = (args: ReadonlyArray<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean", default: false }, split: { type: "string", default: "dev" } }
    })
    const [folder] = positionals
    if (folder === undefined || positionals.length > 1) return "One folder was expected"
    // A script of the workspace runs in its root; a relative path is meant from where it was called.
    return { ...values, folder: resolve(process.env["INIT_CWD"] ?? ".", folder) }
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const main = async (): Promise<number> => {
  const asked = ask(process.argv.slice(2))
  if (typeof asked === "string") {
    console.error(`${asked}\n${usage}`)
    return 2
  }
  const report = await Effect.runPromise(Effect.result(check(asked.folder, asked.split)))
  if (Result.isFailure(report)) {
    console.error(report.failure.message)
    return 1
  }
  console.log(asked.json ? JSON.stringify({ airline: report.success }) : print(report.success))
  return isComplete(report.success) ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main()
