/** Writes a run to one file. */
import { createWriteStream, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { Readable, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as VaultExport from "@backstitch/runtime/VaultExport"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import * as StoreFile from "../../input/StoreFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as SealingKey from "../../program/SealingKey.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./export.ts"

/** Writes a run, with all that it names. */
export const handler: Handler<Input> = ({ evidence, gzip, out, recipient, run: name, vault }, globals) =>
  Effect.gen(function* () {
    if (globals.json && out === undefined) {
      return yield* new Usage({ problem: "With --json, name the file that the run is written to with --out" })
    }
    if (recipient !== undefined && vault === undefined) {
      const problem = "--recipient says for whom sealed values are written: name a file with --vault"
      return yield* new Usage({ problem })
    }
    for (const file of [out, vault]) if (file !== undefined) yield* StoreFile.spared(file)
    const exported = yield* RunExport.take(yield* StoreSession.find(name, globals), { evidence })
    yield* Effect.tryPromise({
      try: () => {
        const write = (target: Writable, options: { readonly end: boolean }) => {
          const lines = Readable.from(withEnds(Export.lines(exported)))
          return gzip ? pipeline(lines, createGzip(), target, options) : pipeline(lines, target, options)
        }
        return out === undefined
          ? write(Terminal.stream(), { end: false })
          : replacing(out, (path) => write(createWriteStream(path), { end: true }))
      },
      catch: (cause) => FileProblem.unwritten(out ?? "stdout", cause)
    })
    const sealed = vault === undefined ? undefined : yield* VaultExport.write(exported.run, { recipient, vault })
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
    return Printer.answer(document, () => {}, wrong === undefined ? 0 : 1)
  }).pipe(Effect.provide(SealingKey.layer(globals)), Effect.provide(StoreSession.reading(globals)))

/** Writes beside a file and puts the whole in its place, so that a disk that is full leaves an earlier export alone. */
const replacing = async (file: string, write: (path: string) => Promise<void>): Promise<void> => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isFile()) return write(file)
  const place = stat === undefined ? file : realpathSync(file)
  const part = `${place}.${process.pid}.part`
  try {
    await write(part)
    renameSync(part, place)
  } catch (cause) {
    rmSync(part, { force: true })
    throw cause
  }
}

/** Lines in blocks: a pipe that is given each line alone is slow. */
function* withEnds(lines: Iterable<string>): Generator<string> {
  let block = ""
  for (const line of lines) {
    block += `${line}\n`
    if (block.length < 65_536) continue
    yield block
    block = ""
  }
  yield block
}
