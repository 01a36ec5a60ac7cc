/** The file in which the heads of a tenant's runs are logged, and the checkpoints that anchor it. */

import { appendFile, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as HeadLog from "@backstitch/runtime/HeadLog"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileProblem from "../../input/FileProblem.ts"
import type { Globals } from "../../input/Globals.ts"
import * as StoreAddress from "../../input/StoreAddress.ts"
import { Usage } from "../../terminal/Failure.ts"

/** Error for a checkpoint that the key that was named did not sign. */
export class SignatureWrong extends Schema.TaggedError<SignatureWrong>("@backstitch/cli/SignatureWrong")(
  "SignatureWrong",
  { checkpoint: Schema.String, by: Schema.String, origin: Schema.String }
) {
  override get message(): string {
    const { by, checkpoint, origin } = this
    if (by !== origin) {
      const said = `${checkpoint} is of the log ${origin}, which signs under that name: the key of ${by} is none of it`
      return `${said}. Nothing was compared with it`
    }
    return `${this.checkpoint} is not signed by the key of ${this.by}, or was changed since. Nothing was compared with it`
  }
}

/** Where the log is: the file that was named, or one beside a store that is a file. */
export const place = (log: string | undefined, globals: Globals): Effect.Effect<string, Usage> => {
  const store = StoreAddress.fileOf(globals.store)
  if (log !== undefined) return Effect.succeed(log)
  if (store !== undefined) return Effect.succeed(join(dirname(store), `heads-${globals.tenant}.jsonl`))
  return Effect.fail(
    new Usage({ problem: `The store ${globals.store} has no folder for a log. Name a file with --log` })
  )
}

/** Reads a log. One that is not there has no entries. */
export const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* textOf(file).pipe(
    Effect.catch((cause) => (cause.code === "ENOENT" ? Effect.succeed("") : Effect.fail(unread(file, cause))))
  )
  return yield* Effect.fromResult(HeadLog.parse(text))
})

/** Adds entries. */
export const add = (
  file: string,
  entries: ReadonlyArray<HeadLog.Entry>
): Effect.Effect<void, FileProblem.FileUnwritten | Usage> =>
  Effect.tryPromise({
    try: () => appendFile(file, entries.map((entry) => `${TreeHead.entry(entry)}\n`).join(""), { flush: true }),
    catch: (cause) => FileProblem.unwritten(file, cause)
  })

/** The entries that a checkpoint in a file anchors, once its signature and the log were found to be right. */
export const anchored = Effect.fnUntraced(function* (
  options: Trust & { readonly against: string; readonly log: string | undefined },
  globals: Globals
) {
  const { checkpoint, entries } = yield* covered(options, globals)
  yield* trusted(checkpoint, options.against, options)
  return yield* Effect.fromResult(HeadLog.under(entries, checkpoint.head))
})

/** Whose signatures a checkpoint has to have. */
export interface Trust {
  readonly by: string | undefined
  readonly policy: string | undefined
  readonly witness: ReadonlyArray<string>
  readonly quorum: number | undefined
}

/** A checkpoint in a file and the entries of its log, neither of which was checked. */
export const covered = Effect.fnUntraced(function* (
  { against, log }: { readonly against: string; readonly log: string | undefined },
  globals: Globals
) {
  const text = yield* Effect.mapError(textOf(against), (cause) => unread(against, cause))
  const checkpoint = yield* Effect.fromResult(TreeCheckpoint.parse(text))
  const logged = yield* Effect.flatMap(place(log, globals), read)
  const entries = yield* Effect.fromResult(HeadLog.ofTenant(logged, globals.tenant))
  return { checkpoint, entries }
})

/** Fails unless a checkpoint is signed and cosigned as it has to be. `name` is what it is called in a message. */
export const trusted = Effect.fnUntraced(function* (
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  name: string,
  options: Trust
) {
  const { by } = options
  if (by !== undefined) {
    // Loading a curve takes longer than verifying a run without one.
    const { checkLog } = yield* Effect.promise(() => import("@backstitch/transparency/SignedNote"))
    if ((yield* Effect.fromResult(checkLog(by, checkpoint))) !== "Signed") {
      return yield* new SignatureWrong({ checkpoint: name, by: by.split("+")[0] ?? by, origin: checkpoint.origin })
    }
  }
  if (options.policy !== undefined || options.quorum !== undefined || options.witness.length > 0) {
    const { demand } = yield* Effect.promise(() => import("./Witnesses.ts"))
    yield* demand(options, checkpoint)
  }
})

const unread = (file: string, cause: Error): Usage =>
  new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })

const textOf = (file: string): Effect.Effect<string, NodeJS.ErrnoException> =>
  Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => cause as NodeJS.ErrnoException
  })
