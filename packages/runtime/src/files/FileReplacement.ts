/**
 * Replaces a file as a whole. After a crash, on a full disk or after a lost source the earlier file is unchanged.
 *
 * The bytes are written to a file in the same folder, flushed, and moved into place by one rename, which is flushed
 * as well. A target that is no file, such as a device or a pipe, is written to directly.
 */
import { randomUUID } from "node:crypto"
import { closeSync, createWriteStream, openSync, readSync, realpathSync, statSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as FileProblem from "./FileProblem.ts"

/** Pieces of a file, in order. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * The permissions of a file that does not exist yet; an existing file keeps its own. With `over`, an existing file is
 * replaced only if it begins like that.
 */
export interface Options {
  readonly mode?: number | undefined
  readonly over?: string | undefined
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

/** Refuses to write over a file that begins otherwise than those that are written. */
const spareOther = (file: string, over: string): Effect.Effect<void, Unwritten> =>
  Effect.flatMap(
    Effect.try({ try: () => beginsLike(file, over), catch: (cause) => FileProblem.unwritten(file, cause) }),
    (isAlike) => {
      const problem = "another file is there, of another kind. Name a new one, or remove that one first"
      return isAlike ? Effect.void : Effect.fail(new FileProblem.FileUnwritable({ file, problem }))
    }
  )

/** Tells whether a file begins with a text, or holds nothing that could be lost. */
const beginsLike = (file: string, text: string): boolean => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat?.isFile() !== true || stat.size === 0) return true
  const opened = openSync(file, "r")
  try {
    const buffer = Buffer.alloc(Buffer.byteLength(text))
    return buffer.toString("utf8", 0, readSync(opened, buffer)) === text
  } finally {
    closeSync(opened)
  }
}

/** Writes all the pieces in the place of a file, or none of them. A database is not written over. */
export const write = Effect.fn("FileReplacement.write")(function* (
  file: string,
  pieces: Pieces,
  { mode, over }: Options = {}
) {
  yield* spare(file)
  if (over !== undefined) yield* spareOther(file, over)
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

/** Flushes the names in a folder. If a system cannot flush a folder, a rename is as durable as the system makes it. */
const flushed = async (folder: string): Promise<void> => {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
