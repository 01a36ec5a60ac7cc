/** Writes a run to one file. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as ExportFile from "@backstitch/runtime/ExportFile"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as FileReplacement from "@backstitch/runtime/FileReplacement"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as VaultExport from "@backstitch/runtime/VaultExport"
import type * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as SealingKey from "../../program/SealingKey.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./export.ts"

/** Writes a run, with all packs and states that it names. */
export const handler: Handler<Input> = ({ evidence, gzip, out, recipient, run: name, vault }, globals) =>
  Effect.gen(function* () {
    if (globals.json && out === undefined) {
      return yield* new Usage({ problem: "With --json, name the file that the run is written to with --out" })
    }
    if (recipient !== undefined && vault === undefined) {
      const problem = "--recipient says for whom sealed values are written: name a file with --vault"
      return yield* new Usage({ problem })
    }
    if (globals.server !== undefined) {
      yield* ServerCall.refuse({ "--vault": vault }, "sealed values are exported where the store is")
    }
    for (const file of [out, vault]) if (file !== undefined) yield* FileReplacement.spare(file)
    const exported = yield* RunExport.exportRun(yield* StoreSession.find(name, globals), { evidence })
    yield* out === undefined ? printed(exported, { gzip }) : ExportFile.write(exported, out, { gzip })
    const sealed = vault === undefined ? undefined : yield* VaultExport.exportVault(exported.run, { recipient, vault })
    const { blobs, head, run, transitions } = exported
    const { id } = run
    const wrong = RunExport.problem(exported)?.message
    globals.printer.tell(() => {
      const where = out ?? "stdout"
      const counts = `transitions=${transitions.length} | blobs=${blobs.size}`
      Terminal.note(`${Terminal.bold("EXPORTED:")} run=${id} | ${where} | ${counts} | head=${head.link}`)
      if (sealed) Terminal.note(`${Terminal.bold("VAULT:")} ${vault} | keys=${sealed.keys} | values=${sealed.values}`)
    })
    if (wrong !== undefined) Terminal.note(`${Terminal.bad("BROKEN:")} ${wrong}. The file is evidence, and no copy`)
    const document = {
      run: id,
      out,
      ticks: transitions.length,
      head: head.link,
      blobs: blobs.size,
      ...(wrong === undefined ? {} : { problem: wrong }),
      ...(sealed && { sealed })
    }
    return Printer.answer(document, () => {}, ExitCode.of(wrong === undefined))
  }).pipe(Effect.provide(SealingKey.layer(globals)), Effect.provide(StoreSession.reading(globals)))

const printed = (exported: Export.Export, options: ExportFile.Options) =>
  Effect.tryPromise({
    try: () => pipeline(Readable.from(ExportFile.pieces(exported, options)), Terminal.stream(), { end: false }),
    catch: (cause) => FileProblem.unwritten("stdout", cause)
  })
