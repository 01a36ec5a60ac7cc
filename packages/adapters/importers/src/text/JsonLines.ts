/** Files of recordings, plain or gzip: one line at a time, or as a whole. */
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** A line that is not empty. `number` counts from 1. */
export type Line = SourceFile.Line

/** Error for a file that cannot be read to its end. */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>("@backstitch/importers/FileUnreadable")(
  "FileUnreadable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be read: ${this.problem}. Check the path, or copy the file again`
  }
}

/** Error for a line that is not a recorded run. */
export class LineInvalid extends Schema.TaggedError<LineInvalid>("@backstitch/importers/LineInvalid")("LineInvalid", {
  file: Schema.String,
  line: Schema.Natural,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file}:${this.line}: ${this.problem}. Correct the line or remove it, then import again`
  }
}

/** Error for a file that is no recording in the given format. */
export class FileInvalid extends Schema.TaggedError<FileInvalid>("@backstitch/importers/FileInvalid")("FileInvalid", {
  file: Schema.String,
  format: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be read as ${this.format}: ${this.problem}. Check the format, or copy the file again`
  }
}

/** Streams the lines of a file that are not empty, within the limits in force. */
export const read = (file: string): Stream.Stream<Line, FileUnreadable | SourceFile.LimitExceeded> =>
  Stream.unwrap(
    Effect.map(SourceFile.Limits, (limits) =>
      Stream.fromAsyncIterable(SourceFile.lines(file, limits), (cause) => problemOf(file, cause)).pipe(
        Stream.filter(({ text }) => text.trim() !== ""),
        Stream.mapEffect((line) => within(file, line, limits))
      )
    )
  )

/** Streams the whole text of a file, as one line with number 1, within the limits in force. */
export const whole = (file: string): Stream.Stream<Line, FileUnreadable | SourceFile.LimitExceeded> =>
  Stream.fromEffect(
    Effect.gen(function* () {
      const limits = yield* SourceFile.Limits
      const text = yield* Effect.tryPromise({
        try: () => SourceFile.text(file, limits),
        catch: (cause) => problemOf(file, cause)
      })
      yield* within(file, { number: 0, text }, limits)
      return { number: 1, text }
    })
  )

const within = (file: string, line: Line, limits: SourceFile.Limits): Effect.Effect<Line, SourceFile.LimitExceeded> => {
  const problem = SourceFile.exceeded(file, line, limits)
  return problem === undefined ? Effect.succeed(line) : Effect.fail(problem)
}

const problemOf = (file: string, cause: unknown): FileUnreadable | SourceFile.LimitExceeded =>
  Branded.isError(cause, SourceFile.LimitExceeded) ? cause : new FileUnreadable({ file, problem: said(cause) })

const said = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return "there is no such file"
  if (code === "EISDIR") return "it is a folder"
  if (code === "EACCES") return "it may not be read by this user"
  return cause instanceof Error ? cause.message : String(cause)
}
