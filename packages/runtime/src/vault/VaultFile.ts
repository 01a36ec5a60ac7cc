/**
 * Writes and reads the values behind the commitments of a run as a separate file, for a copy of the store or for one
 * recipient.
 *
 * An export of a run never holds a ciphertext, so it can be kept for ever. A vault file can be deleted, as an erasure
 * requires for every copy. Its keys are wrapped under the key of the tenant, or under a key that only the owner of an
 * X25519 key can derive.
 *
 * @source docs/FORMAT.md; RFC 7748 (X25519), RFC 5869 (HKDF)
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Vault from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as Sealing from "../sealing/Sealing.ts"
import * as Cipher from "../sealing/sealingCipher.ts"
import * as TenantKeys from "../sealing/TenantKeys.ts"
import * as SubjectErasure from "./SubjectErasure.ts"

/** Error for a file that is no vault file, or that cannot be opened with the given key. */
export class VaultFileUnfit extends Schema.TaggedError<VaultFileUnfit>("@backstitch/runtime/VaultFileUnfit")(
  "VaultFileUnfit",
  {
    line: Schema.Natural,
    problem: Schema.Literals(["cut", "format", "key", "recipient", "tenant"]),
    why: Schema.optionalKey(Schema.String)
  }
) {
  override get message(): string {
    const problem = {
      cut: "has no newline: the file was cut short",
      format: "is not one of a vault file",
      key: "does not open with the key at hand",
      recipient: "is for a recipient: give the private key that it was written for",
      tenant: "is of another tenant"
    }[this.problem]
    const why = this.why === undefined ? "" : `: ${this.why}`
    return `Line ${this.line} of the file ${problem}${why}. Nothing of it was imported`
  }
}

const Header = Schema.Struct({
  format: Schema.Literal("backstitch-vault"),
  version: Schema.Literal(1),
  run: Run,
  recipient: Schema.optionalKey(Digest.Digest)
})

const KeyLine = Schema.Struct({
  key: Schema.String,
  run: Schema.String,
  subject: Digest.Digest,
  wrapped: Schema.String
})

const ValueLine = Schema.Struct({
  sealed: Digest.Digest,
  key: Schema.String,
  shown: Schema.Boolean,
  text: Schema.String
})

const Line = Schema.Union([ValueLine, KeyLine])

/** Reads the X25519 key of a recipient, public or private, in PEM. */
export const readKey = (pem: string): KeyObject | undefined => {
  const read = Result.try(() => (pem.includes("PRIVATE") ? createPrivateKey(pem) : createPublicKey(pem)))
  return Result.isSuccess(read) && read.success.asymmetricKeyType === "x25519" ? read.success : undefined
}

/** Identifies a recipient by the digest of the public key. */
const recipientOf = (key: KeyObject): Digest.Digest => {
  const open = key.type === "private" ? createPublicKey(key) : key
  return createHash("sha256")
    .update(open.export({ format: "der", type: "spki" }))
    .digest("hex") as Digest.Digest
}

/** Exports the values behind a run's commitments, line by line; with `recipient`, for that recipient only. */
export const take = Effect.fn("VaultFile.take")(function* (
  run: Run,
  options: { readonly recipient?: KeyObject | undefined } = {}
) {
  const { recipient } = options
  const { tenant } = run
  const vault = yield* Vault.Vault
  const kept = yield* vault.get(tenant, [...(yield* SubjectErasure.commitmentsOf(run)).named])
  const keys = new Map(kept.map(({ key }) => [key.id, key]))
  const header: typeof Header.Encoded = {
    format: "backstitch-vault",
    version: 1,
    run: { tenant, id: run.id },
    ...(recipient === undefined ? {} : { recipient: recipientOf(recipient) })
  }
  const lines = [Canonical.encode(header)]
  // For a recipient, subjects are grouped but not named: their digests would link the files of a person.
  const grouping = yield* TenantKeys.generate
  for (const key of keys.values()) {
    const subject = recipient === undefined ? key.subject : Cipher.mac(Buffer.from(grouping, "hex"), key.subject)
    const named = { id: key.id, run: key.run, subject }
    const wrapped =
      recipient === undefined
        ? key.wrapped
        : Cipher.wrapFor(recipient, yield* Sealing.unwrap(tenant, key), Cipher.boundTo(tenant, named))
    lines.push(Canonical.encode({ key: key.id, run: key.run, subject, wrapped }))
  }
  for (const { commitment, key, shown, text } of kept) {
    lines.push(Canonical.encode({ key: key.id, sealed: commitment, shown, text }))
  }
  return { lines, keys: keys.size, values: kept.length }
})

/** The lines of a vault file, each of which ends in a newline. */
export const linesOf = (text: string): Result.Result<ReadonlyArray<string>, VaultFileUnfit> => {
  const lines = text.split("\n")
  const last = lines.pop()
  return last === ""
    ? Result.succeed(lines)
    : Result.fail(new VaultFileUnfit({ line: lines.length + 1, problem: "cut" }))
}

/**
 * Imports sealed values into a store. Keys that were written for a recipient are wrapped again under the key of the
 * tenant. Erased values stay erased: keys that the vault has destroyed, and keys with a value that a trace of the
 * store calls erased, are dropped with all their values. So are values that the store has under another key.
 */
export const bring = Effect.fn("VaultFile.bring")(function* (
  lines: ReadonlyArray<string>,
  options: { readonly tenant: Run["tenant"]; readonly privateKey?: KeyObject | undefined }
) {
  const { privateKey, tenant } = options
  const vault = yield* Vault.Vault
  const header = yield* read(Header, lines[0] ?? "", 1)
  if (header.run.tenant !== tenant) return yield* new VaultFileUnfit({ line: 1, problem: "tenant" })
  const isFor = header.recipient !== undefined
  if (isFor && (privateKey === undefined || recipientOf(privateKey) !== header.recipient)) {
    return yield* new VaultFileUnfit({ line: 1, problem: "recipient" })
  }
  const keys: Array<Vault.SubjectKey> = []
  const values: Array<Vault.Ciphertext> = []
  for (const [index, text] of lines.entries()) {
    if (index === 0) continue
    const line = yield* read(Line, text, index + 1)
    if ("sealed" in line) {
      values.push({ commitment: line.sealed, key: line.key, shown: line.shown, text: line.text })
      continue
    }
    const named = { id: line.key, run: line.run, subject: line.subject }
    const own = { ...named, wrapped: line.wrapped }
    const plain = isFor
      ? Cipher.unwrapFor(privateKey!, line.wrapped, Cipher.boundTo(tenant, named))
      : yield* Effect.catchTag(Sealing.unwrap(tenant, own), "TenantKeyDiffers", () => Effect.succeed(undefined))
    if (plain === undefined) return yield* new VaultFileUnfit({ line: index + 1, problem: "key" })
    if (isFor) yield* Sealing.tenantKey(tenant)
    keys.push(isFor ? { ...named, wrapped: yield* Sealing.wrap(tenant, named, plain) } : own)
  }
  const erased = yield* erasedIn(tenant, new Set(keys.map(({ run }) => run)))
  const taken = new Set<string>()
  for (const key of keys) {
    const under = values.filter((value) => value.key === key.id)
    // A key is erased with all its values: if one of its values was erased, the key would open values that nobody may
    // read.
    if (under.length === 0 || under.some(({ commitment }) => erased.has(commitment))) continue
    if ((yield* vault.takeKey(tenant, key))?.id === key.id) taken.add(key.id)
  }
  const brought = values.filter(({ key }) => taken.has(key))
  yield* vault.put(tenant, brought)
  const dropped = { keys: keys.length - taken.size, values: values.length - brought.length }
  return { keys: taken.size, values: brought.length, dropped }
})

/** Reads the commitments that traces of the store call erased, in all runs of the lineages. */
const erasedIn = Effect.fnUntraced(function* (tenant: Run["tenant"], lineages: ReadonlySet<string>) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const erased = new Set<string>()
  for (const { run } of yield* store.runs(tenant)) {
    if (!lineages.has((yield* history.root(run)).id)) continue
    for (const each of (yield* SubjectErasure.commitmentsOf(run)).erased) erased.add(each)
  }
  return erased
})

const read = <A>(schema: Schema.Decoder<A>, text: string, line: number): Effect.Effect<A, VaultFileUnfit> =>
  Effect.fromResult(
    Result.mapError(
      Result.flatMap(Canonical.decode(text), (value) =>
        Result.mapError(Schema.decodeUnknownResult(schema)(value, { onExcessProperty: "error" }), ({ message }) =>
          message.replaceAll(/\s*\n\s*/g, " ")
        )
      ),
      (why) => new VaultFileUnfit({ line, problem: "format", why })
    )
  )
