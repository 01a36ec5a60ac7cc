/** Writes a run to a file, and reads it from one, compressed or not. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import * as Branded from "@backstitch/trace/Branded"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as FileProblem from "./FileProblem.ts"
import * as FileReplacement from "./FileReplacement.ts"
import * as SourceFile from "./SourceFile.ts"

/** Error for a file in gzip that cannot be unpacked. */
export class PackingBroken extends Schema.TaggedError<PackingBroken>("@backstitch/runtime/PackingBroken")(
  "PackingBroken",
  {
    file: Schema.String,
    problem: Schema.String
  }
) {
  override get message(): string {
    return `${this.file} cannot be unpacked: ${this.problem}. It was cut short or changed: copy or export it again`
  }
}

/** The form of the bytes. */
export interface Options {
  readonly gzip?: boolean | undefined
}

/** Reads and decodes a file, line by line and within {@link SourceFile.Limits}. Nothing but the form is verified. */
export const read = Effect.fn("ExportFile.read")(function* (file: string) {
  const limits = yield* SourceFile.Limits
  const decoder = new Export.Decoder(limits)
  const lines = Stream.fromAsyncIterable(SourceFile.lines(file, limits, { exact: true }), (cause) =>
    Branded.isError(cause, SourceFile.LimitExceeded) || Branded.isError(cause, SourceFile.NotText)
      ? cause
      : (unpacked(file, cause) ?? FileProblem.unreadable(file, cause))
  )
  yield* Stream.runForEach(lines, ({ isEnded, text }) => {
    const problem = decoder.push(text, isEnded)
    return problem === undefined ? Effect.void : Effect.fail(problem)
  }).pipe(Effect.mapError((error) => named(file, error)))
  return yield* Effect.fromResult(decoder.finish()).pipe(Effect.mapError((error) => named(file, error)))
})

/** The bytes of a run, in pieces, for a file, a pipe or a response. */
export const pieces = (exported: Export.Export, { gzip = false }: Options = {}): FileReplacement.Pieces => {
  const text = withEnds(Export.lines(exported))
  if (!gzip) return text
  const packed = createGzip()
  // An error reaches the reader through the stream of compressed bytes.
  pipeline(Readable.from(text), packed).catch(() => {})
  return packed
}

/** Writes a run to a file, in the place of an earlier one. */
export const write = (exported: Export.Export, file: string, options: Options = {}) =>
  Effect.suspend(() => FileReplacement.write(file, pieces(exported, options)))

/** Tells whether a name is that of an export file, and not of a store. */
export const isNamed = (name: string): boolean => /\.jsonl(\.gz)?$/.test(name)

/** A compressed file that ends too early or was changed. Its name has the right form. */
const unpacked = (file: string, cause: unknown): PackingBroken | undefined =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_")
    ? new PackingBroken({ file, problem: cause.message })
    : undefined

type Undecoded = Export.ExportExceeds | Export.ExportMalformed | Export.ExportTruncated | Export.ExportUnsupported

/**
 * Adds the name of the file to an error of its form, and reports an exceeded count like an exceeded limit of its
 * text.
 */
const named = <E extends { readonly _tag: string }>(
  file: string,
  error: E | Undecoded
): Exclude<E | Undecoded, Export.ExportExceeds> | SourceFile.LimitExceeded => {
  if (Branded.isError(error, Export.ExportExceeds)) {
    return new SourceFile.LimitExceeded({ file, line: error.line, limit: error.limit, max: error.max })
  }
  if (Branded.isError(error, Export.ExportMalformed)) return new Export.ExportMalformed({ ...error, file })
  if (Branded.isError(error, Export.ExportTruncated)) return new Export.ExportTruncated({ ...error, file })
  if (Branded.isError(error, Export.ExportUnsupported)) return new Export.ExportUnsupported({ ...error, file })
  return error as Exclude<E, Export.ExportExceeds>
}

function* withEnds(lines: Iterable<string>): Generator<string> {
  let block = ""
  for (const line of lines) {
    block += `${line}\n`
    if (block.length < Limits.pacing.exportBlockCharactersMin) continue
    yield block
    block = ""
  }
  yield block
}
