/**
 * Replaces a file as a whole, so that a crash, a full disk or a lost source leaves the earlier one as it was.
 *
 * The bytes are written beside the file, flushed, and put in its place by one rename, which is flushed as well. What
 * is no file, such as a device or a pipe, is written to as it is.
 */
import { randomUUID } from "node:crypto"
import { createWriteStream, realpathSync, statSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as FileProblem from "./FileProblem.ts"

/** Pieces of a file, in order. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** The permissions of a file that is not there yet. One that is there keeps its own. */
export interface Options {
  readonly mode?: number | undefined
}

type Unwritten = FileProblem.FileUnwritable | FileProblem.FileUnwritten

/** Refuses to write over a database, which may be a store of runs. */
export const spare = (file: string): Effect.Effect<void, Unwritten> =>
  Effect.flatMap(
    Effect.try({ try: () => DatabaseFile.isOne(file), catch: (cause) => FileProblem.unwritten(file, cause) }),
    (isDatabase) => {
      const problem = "a store of runs is there, or another database"
      return isDatabase ? Effect.fail(new FileProblem.FileUnwritable({ file, problem })) : Effect.void
    }
  )

/** Writes the pieces in the place of a file, all of them or none. A database is not written over. */
export const write = Effect.fn("FileReplacement.write")(function* (
  file: string,
  pieces: Pieces,
  { mode }: Options = {}
) {
  yield* spare(file)
  yield* Effect.tryPromise({
    try: (signal) => replaced(file, pieces, { mode, signal }),
    catch: (cause) => FileProblem.unwritten(file, cause)
  })
})

const replaced = async (
  file: string,
  pieces: Pieces,
  { mode, signal }: { readonly mode: number | undefined; readonly signal: AbortSignal }
): Promise<void> => {
  const stat = statSync(file, { throwIfNoEntry: false })
  const source = Readable.from(pieces)
  if (stat !== undefined && !stat.isFile()) return pipeline(source, createWriteStream(file), { signal })
  const place = stat === undefined ? file : realpathSync(file)
  const part = `${place}.${randomUUID()}.part`
  try {
    const handle = await open(part, "wx", mode)
    try {
      if (stat !== undefined) await handle.chmod(stat.mode)
      const add = async (chunks: AsyncIterable<string | Uint8Array>): Promise<void> => {
        for await (const chunk of chunks) await handle.appendFile(chunk)
      }
      await pipeline(source, add, { signal })
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, place)
  } catch (cause) {
    await rm(part, { force: true })
    throw cause
  }
  await flushed(dirname(place))
}

/** Flushes the names in a folder. Where a system flushes no folder, a rename is as durable as it makes it. */
const flushed = async (folder: string): Promise<void> => {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
