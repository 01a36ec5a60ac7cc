/** The file beside an export that holds what sealed values stand for, and the keys of its recipients. */
import { readFile, writeFile } from "node:fs/promises"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as VaultFile from "@backstitch/runtime/VaultFile"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as FileProblem from "../../input/FileProblem.ts"
import { Usage } from "../../terminal/Failure.ts"

/** What is said of it on the command line. */
export interface Said {
  readonly vault: string | undefined
  readonly recipient: string | undefined
}

const read = (file: string): Effect.Effect<string, Usage> =>
  Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })
  })

const keyOf = Effect.fnUntraced(function* (file: string, kind: "private" | "public") {
  const key = VaultFile.readKey(yield* read(file))
  if (key !== undefined && (kind === "public" || key.type === "private")) return key
  return yield* new Usage({
    problem: `${file} is no ${kind} X25519 key in PEM. Make one with openssl genpkey -algorithm x25519`
  })
})

/** Writes what the sealed values of a run stand for, readable by the owner of the file alone. */
export const write = Effect.fnUntraced(function* (run: Run, { recipient, vault }: Said) {
  if (vault === undefined) {
    if (recipient === undefined) return undefined
    return yield* new Usage({
      problem: "--recipient says for whom sealed values are written: name a file with --vault"
    })
  }
  const key = recipient === undefined ? undefined : yield* keyOf(recipient, "public")
  const { keys, lines, values } = yield* VaultFile.take(run, { recipient: key })
  yield* Effect.tryPromise({
    try: () => writeFile(vault, `${lines.join("\n")}\n`, { mode: 0o600 }),
    catch: (cause) => FileProblem.unwritten(vault, cause)
  })
  return { keys, values }
})

/** Brings what sealed values stand for into the store. */
export const bring = Effect.fnUntraced(function* (tenant: Tenant, { recipient, vault }: Said) {
  if (vault === undefined) return undefined
  const privateKey = recipient === undefined ? undefined : yield* keyOf(recipient, "private")
  const lines = yield* Effect.fromResult(VaultFile.linesOf(yield* read(vault)))
  return yield* VaultFile.bring(lines, { tenant, privateKey })
})
