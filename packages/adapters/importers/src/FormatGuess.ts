/**
 * Guesses the format of a file from its beginning, such as of a file that was read as an export and is none.
 *
 * The beginning is read once, and unpacked if the file is in gzip.
 */
import { open } from "node:fs/promises"
import { constants, gunzipSync } from "node:zlib"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Effect from "effect/Effect"
import type { FormatName } from "./chat/FormatName.ts"
import * as Formats from "./Formats.ts"
import * as Limits from "./Limits.ts"

const { guessedBytesMax, guessedTextBytesMax } = Limits.pacing

/** The beginning of a file. */
export interface Beginning {
  readonly text: string
  /** `true` if the file goes no further. */
  readonly isWhole: boolean
}

/** Reads the beginning of a file as text; `undefined` if it cannot be read or unpacked. */
export const beginning = (file: string): Effect.Effect<Beginning | undefined> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => {
      const handle = await open(file)
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(guessedBytesMax), 0, guessedBytesMax, 0)
        return { text: textOf(buffer.subarray(0, bytesRead)), isWhole: bytesRead === (await handle.stat()).size }
      } finally {
        await handle.close()
      }
    }),
    () => undefined
  )

/** Names the formats in which the beginning of a file can be read; none if it cannot be read. */
export const recognised = (file: string, begins: Beginning | undefined): ReadonlyArray<FormatName> =>
  begins === undefined || SourceFile.exceeded(file, { number: 1, text: begins.text }, SourceFile.defaults) !== undefined
    ? []
    : Formats.recognised(begins.text, begins.isWhole)

const textOf = (bytes: Buffer): string => {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: guessedTextBytesMax }
  return (isZipped ? gunzipSync(bytes, options) : bytes).toString("utf8")
}
