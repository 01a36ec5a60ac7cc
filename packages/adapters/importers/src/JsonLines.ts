/**
 * Files of recordings, plain or gzip: one line at a time, or as a whole.
 *
 * @since 0.1.0
 */
import { createReadStream } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { pipeline } from "node:stream"
import { promisify } from "node:util"
import { createGunzip, gunzip } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/**
 * A line that is not empty. `number` counts from 1.
 *
 * @category models
 * @since 0.1.0
 */
export interface Line {
  readonly number: number
  readonly text: string
}

/**
 * Error for a file that cannot be read to its end.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>("@backstitch/importers/FileUnreadable")(
  "FileUnreadable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be read: ${this.problem}. Check the path, or copy the file again`
  }
}

/**
 * Error for a line that is not a recorded run.
 *
 * @category errors
 * @since 0.1.0
 */
export class LineInvalid extends Schema.TaggedError<LineInvalid>("@backstitch/importers/LineInvalid")("LineInvalid", {
  file: Schema.String,
  line: Schema.Natural,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file}:${this.line}: ${this.problem}. Correct the line or remove it, then import again`
  }
}

/**
 * Error for a file that is no recording of the format that it was read as.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileInvalid extends Schema.TaggedError<FileInvalid>("@backstitch/importers/FileInvalid")("FileInvalid", {
  file: Schema.String,
  format: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be read as ${this.format}: ${this.problem}. Check the format, or copy the file again`
  }
}

/**
 * Streams the lines of a file that are not empty. Gzip is recognised by its first two bytes, not by the name.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = (file: string): Stream.Stream<Line, FileUnreadable> =>
  Stream.fromAsyncIterable(lines(file), (cause) => new FileUnreadable({ file, problem: problemOf(cause) }))

/**
 * Streams the whole text of a file, as one line with number 1.
 *
 * @category constructors
 * @since 0.1.0
 */
export const whole = (file: string): Stream.Stream<Line, FileUnreadable> =>
  Stream.fromEffect(
    Effect.tryPromise({
      try: async () => {
        const bytes = await readFile(file)
        const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
        const plain = isZipped ? await promisify(gunzip)(bytes) : bytes
        return { number: 1, text: clean(1, plain.toString("utf8")) }
      },
      catch: (cause) => new FileUnreadable({ file, problem: problemOf(cause) })
    })
  )

async function* lines(file: string): AsyncGenerator<Line> {
  const gzip = await isGzip(file)
  const source = createReadStream(file)
  const stream = gzip ? pipeline(source, createGunzip(), () => {}) : source
  let number = 0
  let rest = ""
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const complete = (rest + chunk).split("\n")
    rest = complete.pop() ?? ""
    for (const text of complete) {
      number++
      if (text.trim() !== "") yield { number, text: clean(number, text) }
    }
  }
  if (rest.trim() !== "") yield { number: number + 1, text: clean(number + 1, rest) }
}

/** A byte order mark is no part of the first line. */
const clean = (number: number, text: string): string => (number === 1 ? text.replace(/^\ufeff/, "") : text)

const isGzip = async (file: string): Promise<boolean> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}

const problemOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return "there is no such file"
  if (code === "EISDIR") return "it is a folder"
  if (code === "EACCES") return "it may not be read by this user"
  return cause instanceof Error ? cause.message : String(cause)
}
