/** Reads a run from a file that `backstitch export` wrote, compressed or not. */
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ReadingLimits from "./ReadingLimits.ts"

/** Error for a file in gzip that cannot be unpacked. */
export class PackingBroken extends Schema.TaggedError<PackingBroken>("@backstitch/cli/PackingBroken")("PackingBroken", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be unpacked: ${this.problem}. It was cut short or changed: copy or export it again`
  }
}

/** Reads and decodes a file, line by line and within the limits in force. Nothing is verified but the form. */
export const read = Effect.fnUntraced(function* (file: string) {
  const limits = yield* ReadingLimits.given
  const decoder = new Export.Decoder(limits)
  const lines = Stream.fromAsyncIterable(SourceFile.lines(file, limits, { exact: true }), (cause) =>
    Branded.isError(cause, SourceFile.LimitExceeded) || Branded.isError(cause, SourceFile.NotText)
      ? cause
      : (unpacked(file, cause) ?? FileProblem.unreadable(file, cause))
  )
  yield* Stream.runForEach(lines, ({ isEnded, text }) => {
    const problem = decoder.push(text, isEnded)
    return problem === undefined ? Effect.void : Effect.fail(problem)
  }).pipe(Effect.mapError((error) => limited(file, error)))
  return yield* Effect.fromResult(decoder.finish()).pipe(Effect.mapError((error) => limited(file, error)))
})

/** A packed file that ends too early or was changed. It was named rightly. */
const unpacked = (file: string, cause: unknown): PackingBroken | undefined =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_")
    ? new PackingBroken({ file, problem: cause.message })
    : undefined

/** Tells an exceeded count of a file like an exceeded limit of its text. */
const limited = <E>(file: string, error: E): Exclude<E, Export.ExportExceeds> | SourceFile.LimitExceeded =>
  Branded.isError(error, Export.ExportExceeds)
    ? new SourceFile.LimitExceeded({ file, line: error.line, limit: error.limit, max: error.max })
    : (error as Exclude<E, Export.ExportExceeds>)

/** Tells whether an address names such a file and no store. */
export const isOne = (address: string): boolean => /\.jsonl(\.gz)?$/.test(address)
