/** Guesses the format of a file from its beginning, such as of a file that was read as an export and is none. */
import { open } from "node:fs/promises"
import { constants, gunzipSync } from "node:zlib"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Effect from "effect/Effect"
import type { FormatName } from "./chat/FormatName.ts"
import * as Formats from "./Formats.ts"
import * as Limits from "./Limits.ts"

const { guessedBytesMax, guessedTextBytesMax } = Limits.pacing

/** Names the formats in which the beginning of a file can be read; none if it cannot be read. */
export const of = (file: string): Effect.Effect<ReadonlyArray<FormatName>> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => {
      const handle = await open(file)
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(guessedBytesMax), 0, guessedBytesMax, 0)
        const bytes = buffer.subarray(0, bytesRead)
        const isWhole = bytesRead === (await handle.stat()).size
        const text = textOf(bytes)
        const line = { number: 1, text }
        return SourceFile.exceeded(file, line, SourceFile.defaults) === undefined
          ? Formats.recognised(text, isWhole)
          : []
      } finally {
        await handle.close()
      }
    }),
    () => []
  )

const textOf = (bytes: Buffer): string => {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: guessedTextBytesMax }
  return (isZipped ? gunzipSync(bytes, options) : bytes).toString("utf8")
}
