/** Imports runs into the store. */
import * as DataFolder from "@backstitch/importers/DataFolder"
import type { Format } from "@backstitch/importers/Format"
import * as FormatGuess from "@backstitch/importers/FormatGuess"
import * as FormatName from "@backstitch/importers/FormatName"
import * as Formats from "@backstitch/importers/Formats"
import * as Import from "@backstitch/importers/Import"
import * as ImportSummary from "@backstitch/importers/ImportSummary"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as ExportFile from "@backstitch/runtime/ExportFile"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as RepeatedActs from "@backstitch/runtime/RepeatedActs"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as VaultExport from "@backstitch/runtime/VaultExport"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import type * as Export from "@backstitch/trace/Export"
import { ChainBroken } from "@backstitch/trace/HashChain"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Globals, Server } from "../../input/Globals.ts"
import * as RepeatView from "../../output/RepeatView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as FoundFile from "./FoundFile.ts"
import type { Input } from "./import.ts"

const recorded = Effect.fnUntraced(function* (input: Input, format: Format, globals: Globals) {
  // Before a store is opened, since that may create its file.
  yield* Import.scan({ file: input.file, format })
  return yield* brought(input, format, globals)
})

const brought = (input: Input, format: Format, globals: Globals) =>
  Effect.gen(function* () {
    const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack, { impure: "keep" })
    const data = input.data === undefined ? undefined : yield* DataFolder.read(input.data)
    const progress = Terminal.progress("import")
    let count = 0
    const summary = yield* Import.file({
      file: input.file,
      format,
      pack,
      data,
      tenant: globals.tenant,
      prefix: input.prefix,
      onRun: () => progress.at(++count)
    }).pipe(Effect.ensuring(Effect.sync(progress.end)))
    const { length, present, runs } = summary.totals
    if (globals.json) {
      Terminal.note(`import: ${runs} runs, ${length} transitions; ${present} of the runs were in the store already`)
    }
    return Printer.answer(ImportSummary.document(summary), () => print(summary))
  }).pipe(Effect.provide(StoreSession.importing(globals)))

const print = ({ impure, runs, totals }: ImportSummary.ImportSummary): void => {
  const columns = [
    "messages",
    "toolCalls",
    "outputsReproduced",
    "mutatingCalls",
    "stateChanges",
    "errors",
    "failedCalls",
    "length"
  ] as const
  const rows = runs.map((run) => [
    Terminal.name(run.id),
    ...columns.map((column) => String(run[column])),
    run.present ? "was here" : ""
  ])
  const counts = ["MESSAGES", "CALLS", "REPRODUCED", "MUTATING", "CHANGES", "ERRORS", "FAILED", "TICKS"]
  const header = ["RUN", ...counts.map(TextTable.number), "NOTE"]
  const sums = [Terminal.bold(`${totals.runs} runs`), ...columns.map((column) => Terminal.bold(String(totals[column])))]
  TextTable.print([...rows, sums], { header })
  for (const { message } of impure) Terminal.print(`${Terminal.wary("IMPURE:")} ${message}`)
  RepeatView.print(
    runs.flatMap(({ id, repeats }) =>
      repeats.map((repeat) => ({ say: `${id}: ${RepeatedActs.sentence(repeat, English.words)}` }))
    )
  )
  const lost = Object.entries(totals.lost).map(([kind, count]) => `${kind}=${count}`)
  if (lost.length > 0) Terminal.print(`${Terminal.wary("NOT TAKEN OVER:")} ${lost.join(" | ")}`)
}

const exported = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const { file } = input
  const read = yield* Effect.tapError(ExportFile.read(file), ({ _tag }) =>
    _tag === "LimitExceeded" ? Effect.void : guessed(file)
  )
  return globals.server === undefined ? yield* taken(read, input, globals) : yield* sent(read, input, globals.server)
})

/** A server verifies an export like a store, and keeps its run as evidence. */
const sent = Effect.fnUntraced(function* (exported: Export.Export, input: Input, server: Server) {
  const { data, pack, prefix, recipient, vault } = input
  const sealed = { "--vault": vault, "--recipient": recipient }
  yield* ServerCall.refuse(sealed, "sealed values are imported where the store is")
  const conversations = { "--pack": pack, "--data": data, "--prefix": prefix }
  yield* ServerCall.refuse(conversations, "it is for recorded runs. Import them into a store here, and send an export")
  const lines = Stream.encodeText(Stream.fromIterable(ExportFile.pieces(exported) as Iterable<string>))
  const { runs } = yield* ServerCall.ask(server, (api) => api.exchange.import({ headers: {}, payload: lines }))
  return Printer.answer({ runs }, () => runs.forEach(printImported))
})

const taken = (exported: Export.Export, { file, recipient, vault }: Input, globals: Globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const brought = yield* Effect.mapError(RunExport.importRun(exported, { tenant }), (error) =>
      error._tag === "ChainBroken" && error.run === undefined ? new ChainBroken({ ...error, file }) : error
    )
    // Writing to the store itself answers for the run, also if a server has taken it as evidence before.
    yield* Effect.provide(EvidenceRun.vouch(exported), SqlNotes.layerFromAddress(globals.store))
    const sealed = vault === undefined ? undefined : yield* VaultExport.importVault(tenant, { recipient, vault })
    return Printer.answer({ runs: [brought], ...(sealed && { sealed }) }, () => {
      printImported(brought)
      if (sealed) printSealed(sealed)
    })
  }).pipe(Effect.provide(StoreSession.importing(globals)))

const printImported = ({ blobs, head, present, run, ticks, unknown }: RunExport.Imported): void => {
  const word = present ? "it was here already" : "chain verified"
  Terminal.print(
    `${Terminal.bold("IMPORTED:")} run=${run} | ${word} | transitions=${ticks} | blobs=${blobs} | head=${head}`
  )
  if (unknown.length > 0) {
    Terminal.print(`${Terminal.wary("UNKNOWN:")}  ${unknown.join(", ")} are declared elsewhere: kept as they are`)
  }
}

const printSealed = ({
  dropped,
  keys,
  values
}: NonNullable<Effect.Success<ReturnType<typeof VaultExport.importVault>>>) => {
  Terminal.print(`${Terminal.bold("VAULT:")} keys=${keys} | values=${values}`)
  if (dropped.keys + dropped.values === 0) return
  const counts = `keys=${dropped.keys} | values=${dropped.values}`
  TextTable.sentence(Terminal.wary("DROPPED:"), `${counts} | erased in this store, or under another key in it`)
}

/** Guesses the format of a file that is no export and may be a recording; otherwise says what it is. */
const guessed = Effect.fnUntraced(function* (file: string) {
  const begins = yield* FormatGuess.beginning(file)
  const formats = FormatGuess.recognised(file, begins)
  if (formats.length > 0) {
    const flags = formats.map((format) => `--format ${format} (${FormatName.formats[format]})`).join(" or ")
    return yield* new Usage({ problem: `${file} is no export of ours. Is that ${flags}?` })
  }
  if (begins === undefined || FoundFile.isExport(begins)) return
  const { is, takes } = FoundFile.of(begins)
  const remedy = takes === undefined ? "" : ` (${takes})`
  return yield* new Usage({
    problem:
      `${file} holds no run: it is ${is}${remedy}. Import takes a file that \`backstitch export\` wrote, or with ` +
      `--format a record of another framework: ${FormatName.names.join(", ")}`
  })
})

/** Imports recorded conversations or an export. */
export const handler: Handler<Input> = (input, globals) =>
  input.format === "backstitch"
    ? exported(input, globals)
    : Effect.andThen(
        ServerCall.refuse(
          { "--format": globals.server !== undefined },
          "import it into a store here, and send its export"
        ),
        recorded(input, Formats.all[input.format], globals)
      )
