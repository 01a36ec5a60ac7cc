/**
 * Writes and reads the vault file of an export, under a key of the tenant or for one recipient.
 *
 * The file contains the values behind the commitments of a run, so only its owner may read it.
 */
import { readFile } from "node:fs/promises"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileProblem from "../files/FileProblem.ts"
import * as FileReplacement from "../files/FileReplacement.ts"
import * as SourceFile from "../files/SourceFile.ts"
import * as VaultFile from "./VaultFile.ts"

/** Error for a file that holds no key of a recipient. */
export class RecipientKeyUnfit extends Schema.TaggedError<RecipientKeyUnfit>("@backstitch/runtime/RecipientKeyUnfit")(
  "RecipientKeyUnfit",
  { file: Schema.String, kind: Schema.Literals(["private", "public"]) }
) {
  override get message(): string {
    return `${this.file} is no ${this.kind} X25519 key in PEM. Make one with openssl genpkey -algorithm x25519`
  }
}

/** The vault file, and the file of the recipient's key if there is one. */
export interface Files {
  readonly vault: string
  readonly recipient?: string | undefined
}

/** Writes the values of a run, for the public key of a recipient. */
export const exportVault = Effect.fn("VaultExport.exportVault")(function* (run: Run, { recipient, vault }: Files) {
  const key = recipient === undefined ? undefined : yield* keyOf(recipient, "public")
  const { keys, lines, values } = yield* VaultFile.take(run, { recipient: key })
  yield* FileReplacement.write(vault, [`${lines.join("\n")}\n`], { mode: 0o600 })
  return { keys, values }
})

/** Imports the values of a file into the store, with the private key of its recipient. */
export const importVault = Effect.fn("VaultExport.importVault")(function* (
  tenant: Tenant,
  { recipient, vault }: Files
) {
  const privateKey = recipient === undefined ? undefined : yield* keyOf(recipient, "private")
  const lines = yield* Effect.fromResult(VaultFile.linesOf(yield* read(vault)))
  return yield* VaultFile.bring(lines, { tenant, privateKey })
})

const keyOf = Effect.fnUntraced(function* (file: string, kind: "private" | "public") {
  const key = VaultFile.readKey(yield* read(file))
  if (key !== undefined && (kind === "public" || key.type === "private")) return key
  return yield* new RecipientKeyUnfit({ file, kind })
})

const read = (file: string): Effect.Effect<string, FileProblem.FileUnreadable> =>
  Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => FileProblem.unreadable(file, cause)
  })
