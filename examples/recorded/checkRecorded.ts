/**
 * Counts facts about recorded runs, from a folder with a folder for each dataset, `<dataset>/<split>/...`.
 *
 * ```sh
 * pnpm check:recorded ../shared/data --split dev --json
 * ```
 *
 * Exit code 0 if every answer, hash and onset is as expected; 1 if one is not, or data is absent; 2 for wrong usage.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Airline from "@backstitch/example-airline/Figures"
import * as AirlinePack from "@backstitch/example-airline/Pack"
import * as Coding from "@backstitch/example-coding/Figures"
import * as KnownText from "@backstitch/example-coding/KnownText"
import * as CodingPack from "@backstitch/example-coding/Pack"
import * as Retail from "@backstitch/example-retail/Figures"
import * as RetailPack from "@backstitch/example-retail/Pack"
import * as TravelPlanner from "@backstitch/example-travel-planner/Figures"
import * as TravelPlannerPack from "@backstitch/example-travel-planner/Pack"
import * as ClaudeCode from "@backstitch/importers/ClaudeCode"
import * as DataFolder from "@backstitch/importers/DataFolder"
import * as Import from "@backstitch/importers/Import"
import * as OpenAiChat from "@backstitch/importers/OpenAiChat"
import * as OpenHands from "@backstitch/importers/OpenHands"
import * as Pi from "@backstitch/importers/Pi"
import * as SweAgent from "@backstitch/importers/SweAgent"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Identification from "./Identification.ts"
import * as ProgressFigures from "./ProgressFigures.ts"

const usage = "Usage: check:recorded DIR [--split NAME] [--only FIGURES] [--json]"

/** The report of an absent dataset. */
export interface Absent {
  readonly absent: true
  readonly missing: string
}

/** Each dataset has its own store, so that runs of the same name do not conflict. */
const alone = <A, E>(figures: Effect.Effect<A, E, PackLibrary.PackLibrary | TraceStore.TraceStore>) =>
  figures.pipe(Effect.provide(PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory)), { local: true }))

/** The first missing path, if one is missing. */
const missing = (...paths: ReadonlyArray<string>): Absent | undefined => {
  const path = paths.find((each) => !existsSync(each))
  return path === undefined ? undefined : { absent: true, missing: path }
}

/** A file, plain or gzip; the name of the gzip file if neither exists. */
const fileIn = (folder: string, name: string): string => {
  const zipped = join(folder, `${name}.gz`)
  const plain = join(folder, name)
  return !existsSync(zipped) && existsSync(plain) ? plain : zipped
}

/** The airline's runs with their contract and the database with which they began, for all figures of the airline. */
const ofAirline = <A, E>(
  compute: (given: AirlineRuns) => Effect.Effect<A, E, PackLibrary.PackLibrary | TraceStore.TraceStore>
) =>
  Effect.fnUntraced(function* (folder: string, split: string) {
    const dataset = join(folder, "tau-bench-airline")
    const file = fileIn(join(dataset, split), "runs.jsonl")
    const absent = missing(file, join(dataset, "db"))
    if (absent !== undefined) return absent
    return yield* alone(compute({ file, pack: yield* AirlinePack.load, data: yield* DataFolder.read(dataset) }))
  })

type AirlineRuns = Parameters<typeof Airline.compute>[0]

const imported = (given: AirlineRuns) =>
  Effect.map(Stream.runCollect(Import.stream({ ...given, format: OpenAiChat.format })), (runs) => [...runs])

const airline = ofAirline(Airline.compute)

/** Searches every recorded run of the airline for every policy predicate. */
const identification = ofAirline((given) =>
  Effect.flatMap(imported(given), (runs) =>
    Identification.of(
      given.pack,
      runs.map(({ run }) => run)
    )
  ).pipe(Effect.provide(History.layer(Kernel.standard)))
)

/** The signals of progress of the airline's runs, with the recorded rewards. */
const progress = ofAirline((given) =>
  Effect.flatMap(imported(given), (runs) =>
    ProgressFigures.of(
      given.pack,
      runs.map(({ line, run }) => ({ run, reward: Number(JSON.parse(line.text).reward) }))
    )
  )
)

const retailRuns = Effect.fnUntraced(function* (folder: string, split: string) {
  const dataset = join(folder, "agentrx-tau-retail", split)
  const [runs, labels] = [fileIn(dataset, "runs.jsonl"), join(dataset, "human-annotations.json")]
  const absent = missing(runs, labels, join(folder, "tau-bench-retail", "db"))
  if (absent !== undefined) return absent
  const shop = { pack: yield* RetailPack.load, data: yield* DataFolder.read(join(folder, "tau-bench-retail")) }
  return yield* alone(Retail.runs(shop, { runs, annotations: JSON.parse(readFileSync(labels, "utf8")) }))
})

const retailFaults = Effect.fnUntraced(function* (folder: string, split: string) {
  const dataset = join(folder, "tau-bench-retail")
  const file = fileIn(join(dataset, split), "synthetic-faults.jsonl")
  const absent = missing(file, join(dataset, "db"))
  if (absent !== undefined) return absent
  const shop = { pack: yield* RetailPack.load, data: yield* DataFolder.read(dataset) }
  return yield* alone(Retail.faults(shop, file))
})

type EditFigures = Pick<Coding.Figures, "edits" | "editPreStatesPredicted">

const claudeCode = Effect.fnUntraced(function* (folder: string, split: string) {
  const dataset = join(folder, "codemie-sessions", split, "claude-code")
  const absent = missing(dataset)
  if (absent !== undefined) return absent
  const files = readdirSync(dataset, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.jsonl(\.gz)?$/.test(name)
  )
  const pack = yield* CodingPack.load
  const sessions = yield* Effect.forEach(files.sort(), (name) => alone(Coding.compute(pack, join(dataset, name))))
  return {
    edits: sessions.reduce((total, { edits }) => total + edits, 0),
    editPreStatesPredicted: sessions.reduce((total, { editPreStatesPredicted: count }) => total + count, 0)
  } satisfies EditFigures
})

/** Sessions of coding agents, by the folder of their dataset. */
const sessions = [
  { folder: (split: string) => join("codemie-sessions", split, "claude-code"), format: ClaudeCode.format },
  { folder: (split: string) => join("openhands", split), format: OpenHands.format },
  { folder: (split: string) => join("pi-sessions", split), format: Pi.format },
  { folder: (split: string) => join("swe-agent", split), format: SweAgent.format }
] as const

/** Looks for the old text of every edit in the text that its session knew. */
const codingEdits = Effect.fnUntraced(function* (folder: string, split: string) {
  const absent = missing(...sessions.map((each) => join(folder, each.folder(split))))
  if (absent !== undefined) return absent
  const pack = yield* CodingPack.load
  const files = sessions.flatMap(({ folder: nameOf, format }) => {
    const dataset = join(folder, nameOf(split))
    const names = readdirSync(dataset, { recursive: true, encoding: "utf8" }).sort()
    return names.flatMap((name) => (/\.(jsonl|traj)(\.gz)?$/.test(name) ? [{ file: join(dataset, name), format }] : []))
  })
  const counts = yield* Effect.forEach(files, ({ file, format }) => alone(KnownText.count(pack, file, format)))
  return KnownText.sum(counts)
})

const travelplanner = Effect.fnUntraced(function* (folder: string, split: string) {
  const file = fileIn(join(folder, "travelplanner", split), "plans.jsonl")
  const absent = missing(file)
  if (absent !== undefined) return absent
  return yield* alone(TravelPlanner.compute(yield* TravelPlannerPack.load, file))
})

/** Computes the figures of a split; an absent dataset is reported as absent. */
export const check = Effect.fn("checkRecorded")(function* (folder: string, split: string, only?: string | undefined) {
  const wanted = <A, E>(name: string, figures: Effect.Effect<A, E>) =>
    only === undefined || only === name ? Effect.map(figures, (found) => ({ [name]: found })) : Effect.succeed({})
  const found = yield* Effect.all([
    wanted("airline", airline(folder, split)),
    wanted("identification", identification(folder, split)),
    wanted("progress", progress(folder, split)),
    wanted("retailRuns", retailRuns(folder, split)),
    wanted("retailFaults", retailFaults(folder, split)),
    wanted("claudeCode", claudeCode(folder, split)),
    wanted("codingEdits", codingEdits(folder, split)),
    wanted("travelplanner", travelplanner(folder, split))
  ])
  return Object.assign({}, ...found) as Report
})

const datasets = [
  "airline",
  "identification",
  "progress",
  "retailRuns",
  "retailFaults",
  "claudeCode",
  "codingEdits",
  "travelplanner"
] as const

/** The figures of each requested dataset. */
export interface Report {
  readonly airline?: Airline.Figures | Absent
  readonly identification?: Identification.Identification | Absent
  readonly progress?: ProgressFigures.Figures | Absent
  readonly retailRuns?: Retail.Runs | Absent
  readonly retailFaults?: Retail.FaultCounts | Absent
  readonly claudeCode?: EditFigures | Absent
  readonly codingEdits?: KnownText.Counts | Absent
  readonly travelplanner?: TravelPlanner.Figures | Absent
}

/** Tells whether a dataset has every value that it must have. Counts of agents' actions have no expected value. */
const isComplete = ({
  airline,
  claudeCode,
  codingEdits,
  identification,
  progress,
  retailFaults,
  retailRuns,
  travelplanner
}: Report): boolean =>
  holds(airline, (of) => of.runs > 0 && of.outputsReproduced === of.toolCalls) &&
  holds(airline, (of) => of.recordedHashesReproduced === of.recordedHashes && of.bisectAgrees === of.bisectRuns) &&
  holds(identification, (of) => of.onsetsCorrect === of.onsets && of.falsePositives === 0) &&
  holds(progress, ({ runs }) => runs > 0) &&
  holds(retailRuns, (of) => of.outputs > 0 && of.outputsReproduced === of.outputs) &&
  holds(retailFaults, (of) => of.onsetAgrees > 0 && of.onsetAgrees === of.ok + of.wrong + of.omission) &&
  holds(claudeCode, (of) => of.edits > 0 && of.editPreStatesPredicted === of.edits) &&
  holds(codingEdits, (of) => of.edits > 0 && of.inWholeText + of.inPart > of.unknown + of.contradicted) &&
  holds(travelplanner, ({ plans }) => plans > 0)

/** A dataset that was not requested passes; an absent one fails. */
const holds = <Of extends object>(figures: Of | Absent | undefined, is: (of: Of) => boolean): boolean =>
  figures === undefined || (!("absent" in figures) && is(figures))

const print = (name: string, figures: object): string => {
  if ("absent" in figures) return `${name}: absent, there is no ${String((figures as Absent).missing)}`
  const width = Math.max(...Object.keys(figures).map((each) => each.length))
  const rows = Object.entries(figures).map(([each, count]) => `  ${each.padEnd(width)}  ${String(count).padStart(6)}`)
  return [name, ...rows].join("\n")
}

/** Reads the arguments; an error names the wrong one. */
const ask = (args: ReadonlyArray<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        only: { type: "string" },
        split: { type: "string", default: "dev" }
      }
    })
    const [folder] = positionals
    if (folder === undefined || positionals.length > 1) return "One folder was expected"
    const names: ReadonlyArray<string> = datasets
    if (values.only !== undefined && !names.includes(values.only)) {
      return `There are no figures of ${values.only}; ${names.join(", ")} can be asked for`
    }
    // A script of the workspace runs in its root. A relative path is resolved from the folder in which the command
    // was called.
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
  const report = await Effect.runPromise(Effect.result(check(asked.folder, asked.split, asked.only)))
  if (Result.isFailure(report)) {
    console.error(report.failure.message)
    return 1
  }
  const figures = report.success
  console.log(
    asked.json
      ? JSON.stringify(figures)
      : Object.entries(figures)
          .map(([name, found]) => print(name, found))
          .join("\n")
  )
  return isComplete(figures) ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main()
