/**
 * Reads a run from a file that `backstitch export` wrote, compressed or not.
 *
 * @since 0.1.0
 */
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Usage } from "./Failure.ts"
import * as FileProblem from "./FileProblem.ts"
import * as ReadingLimits from "./ReadingLimits.ts"

/**
 * Reads and decodes a file, line by line and within the limits in force. Nothing is verified but the form.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function* (file: string) {
  const limits = yield* ReadingLimits.given
  const decoder = new Export.Decoder(limits)
  const lines = Stream.fromAsyncIterable(SourceFile.lines(file, limits), (cause) =>
    Branded.isError(cause, SourceFile.LimitExceeded)
      ? cause
      : new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })
  )
  yield* Stream.runForEach(lines, ({ text }) => {
    const problem = decoder.push(text)
    return problem === undefined ? Effect.void : Effect.fail(problem)
  }).pipe(Effect.mapError((error) => limited(file, error)))
  return yield* Effect.fromResult(decoder.finish()).pipe(Effect.mapError((error) => limited(file, error)))
})

/** What a file counts is a limit like those of its text. */
const limited = <E>(file: string, error: E): Exclude<E, Export.ExportExceeds> | SourceFile.LimitExceeded =>
  Branded.isError(error, Export.ExportExceeds)
    ? new SourceFile.LimitExceeded({ file, line: error.line, limit: error.limit, max: error.max })
    : (error as Exclude<E, Export.ExportExceeds>)

/**
 * Tells whether an address names such a file and no store.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOne = (address: string): boolean => /\.jsonl(\.gz)?$/.test(address)
