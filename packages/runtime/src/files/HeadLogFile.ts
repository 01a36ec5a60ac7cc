/** Keeps the log of a tenant's heads in a file that only grows, and makes the checkpoints that anchor it. */
import { appendFile, readFile } from "node:fs/promises"
import type { Tenant } from "@backstitch/trace/Run"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as Effect from "effect/Effect"
import * as HeadLog from "../proof/HeadLog.ts"
import * as FileProblem from "./FileProblem.ts"
import * as SourceFile from "./SourceFile.ts"

/** Reads a log. A missing log has no entries. */
export const read = Effect.fn("HeadLogFile.read")(function* (file: string) {
  const text = yield* textOf(file).pipe(
    Effect.catch((cause) =>
      cause.code === "ENOENT" ? Effect.succeed("") : Effect.fail(FileProblem.unreadable(file, cause))
    )
  )
  return yield* Effect.fromResult(HeadLog.parse(text))
})

/** Adds entries, durably. */
export const add = (
  file: string,
  entries: ReadonlyArray<HeadLog.LoggedHead>
): Effect.Effect<void, FileProblem.FileUnwritable | FileProblem.FileUnwritten> =>
  Effect.tryPromise({
    try: () => appendFile(file, entries.map((entry) => `${TreeHead.entry(entry)}\n`).join(""), { flush: true }),
    catch: (cause) => FileProblem.unwritten(file, cause)
  })

/** A log after it grew, and the checkpoint that anchors all its entries. */
export interface Grown {
  readonly entries: ReadonlyArray<HeadLog.LoggedHead>
  /** Entries that were added. */
  readonly added: number
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
}

/**
 * The log of a tenant, its name in checkpoints, and the signer of the checkpoints. Without a signer, a checkpoint is
 * not signed.
 */
export interface Options {
  readonly file: string
  readonly tenant: Tenant
  readonly origin: string
  readonly sign?: ((text: string) => TreeCheckpoint.Signature) | undefined
}

/**
 * Adds the heads of the runs with new transitions, and makes the checkpoint of the log. `undefined` for a tenant
 * without runs and without entries, since there is nothing to anchor.
 *
 * **Details**
 *
 * A failure before the entries are written leaves the log as it was. Witnesses are asked only after that, so they
 * never see an entry that the log does not contain.
 */
export const grow = Effect.fn("HeadLogFile.grow")(function* ({ file, origin, sign, tenant }: Options) {
  const before = yield* read(file)
  const added = yield* HeadLog.grow(tenant, before)
  const entries = [...before, ...added]
  if (entries.length === 0) return undefined
  const bare = { origin, head: HeadLog.headOf(entries), extensions: [], signatures: [] }
  const text = yield* Effect.fromResult(TreeCheckpoint.format(bare))
  const checkpoint = { ...bare, signatures: sign === undefined ? [] : [sign(text)] }
  yield* add(file, added)
  const grown: Grown = { entries, added: added.length, checkpoint }
  return grown
})

/** A checkpoint and the entries of its log, both unchecked. */
export interface Covered {
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
  readonly entries: ReadonlyArray<HeadLog.LoggedHead>
}

/** Reads a checkpoint from a file, and the log of the acting tenant (L15). */
export const covered = Effect.fn("HeadLogFile.covered")(function* (files: {
  readonly checkpoint: string
  readonly log: string
  readonly tenant: string
}) {
  const text = yield* Effect.mapError(textOf(files.checkpoint), (cause) =>
    FileProblem.unreadable(files.checkpoint, cause)
  )
  const checkpoint = yield* Effect.fromResult(TreeCheckpoint.parse(text))
  const entries = yield* Effect.fromResult(HeadLog.ofTenant(yield* read(files.log), files.tenant))
  const found: Covered = { checkpoint, entries }
  return found
})

const textOf = (file: string): Effect.Effect<string, NodeJS.ErrnoException> =>
  Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => cause as NodeJS.ErrnoException
  })
