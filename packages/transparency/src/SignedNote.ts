/**
 * Signs and checks notes with Ed25519 keys, in the form for witnesses of transparency logs.
 *
 * An unsigned tree head is only as trustworthy as the place where it was kept. A signed one can be told from a
 * forgery, wherever it comes from.
 *
 * **Example** (Signing a checkpoint)
 *
 * ```ts import.meta.vitest
 * import { SignedNote } from "@backstitch/transparency"
 * import * as Result from "effect/Result"
 *
 * // An example. The seed of a real key is random.
 * const key = SignedNote.toKey(new Uint8Array(32))
 * const signer = Result.getOrThrow(SignedNote.signer("example.org/log", key))
 * const signature = SignedNote.sign(signer, "what is signed\n")
 *
 * SignedNote.isSignedBy(signer.verifier, "what is signed\n", [signature]) // => Result.succeed(true)
 * SignedNote.isSignedBy(signer.verifier, "something else\n", [signature]) // => Result.succeed(false)
 * ```
 *
 * @source C2SP signed-note; RFC 8032, RFC 8410
 */

import * as Digest from "@backstitch/trace/Digest"
import { ed25519 } from "@noble/curves/ed25519.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TreeCheckpoint from "./TreeCheckpoint.ts"

/** A private key with its name and its verifier text, `NAME+ID+BASE64`, which is public. The seed is the secret. */
export interface Signer {
  readonly name: string
  readonly verifier: string
  readonly seed: Uint8Array
}

/**
 * Byte before the public key of whoever signs the text of a note itself, as a log does.
 *
 * @source C2SP signed-note, "Signature types"
 */
export const plain = 1

/**
 * Byte before the public key of a witness, which cosigns with a timestamp.
 *
 * @source C2SP signed-note, "Signature types"
 */
export const cosigning = 4

/** The known kinds of signature, by the byte before a public key. */
export type SignatureType = (typeof signatureTypes)[number]

/** A public key under a name. Name and id together identify the owner of a signature line. */
export interface Verifier {
  readonly name: string
  /** First four bytes of a digest over the name and the key, in hex. */
  readonly id: string
  readonly type: SignatureType
  /** Ed25519 public key, 32 bytes. */
  readonly key: Uint8Array
}

/** Error for text that is no private key, or a key of another algorithm. */
export class SigningKeyInvalid extends Schema.TaggedError<SigningKeyInvalid>(
  "@backstitch/transparency/SigningKeyInvalid"
)("SigningKeyInvalid", { key: Schema.String }) {
  override get message(): string {
    return `The key of ${this.key} is no private Ed25519 key in PEM (PKCS #8, without a password). Give another one`
  }
}

/** Error for a verifier text that names no key. */
export class VerifierInvalid extends Schema.TaggedError<VerifierInvalid>("@backstitch/transparency/VerifierInvalid")(
  "VerifierInvalid",
  { verifier: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `"${this.verifier}" names no key: ${this.reason}. Give the text NAME+ID+BASE64 that came with the key`
  }
}

/** Writes the private key of a seed (32 random bytes) in PEM (PKCS #8). */
export const toKey = (seed: Uint8Array): string => {
  const der = Result.getOrThrow(Hex.decode(`${before}${Hex.encode(seed)}`))
  return `-----BEGIN PRIVATE KEY-----\n${Base64.encode(der)}\n-----END PRIVATE KEY-----\n`
}

/** Makes a signer from a private key in PEM (PKCS #8). Default: plain signatures. */
export const signer = (
  name: string,
  pem: string,
  type: SignatureType = plain
): Result.Result<Signer, SigningKeyInvalid> => {
  const seed = seedOf(pem)
  if (seed === undefined) return Result.fail(new SigningKeyInvalid({ key: name }))
  const typed = typedOf(seed, type)
  return Result.succeed({ name, verifier: `${name}+${idOf(name, typed)}+${Base64.encode(typed)}`, seed })
}

/** Signs the text of a note. */
export const sign = (self: Signer, text: string): TreeCheckpoint.Signature =>
  line(self, plain, ed25519.sign(utf8ToBytes(text), self.seed))

/** Writes the signature line of a signer: its id, then the bytes of a signature of the given type. */
export const line = ({ name, seed }: Signer, type: SignatureType, signature: Uint8Array): TreeCheckpoint.Signature => {
  const id = Result.getOrThrow(Hex.decode(idOf(name, typedOf(seed, type))))
  return { name, value: Base64.encode(concatBytes(id, signature)) }
}

/** Reads the verifier text NAME+ID+BASE64 of a key. */
export const verifier = (text: string): Result.Result<Verifier, VerifierInvalid> => {
  const [, name = "", id = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const typed = bytesOf(encoded)
  const fail = (reason: string) => Result.fail(new VerifierInvalid({ verifier: text, reason }))
  const type = signatureTypes.find((each) => each === typed[0])
  if (type === undefined || typed.length !== 33) return fail("it is no Ed25519 key")
  if (idOf(name, typed) !== id) return fail("its id is that of another key")
  return Result.succeed({ name, id, type, key: typed.slice(1) })
}

/** The bytes of each signature under the name and id of a key; those of other keys are ignored. */
export const bytesBy = (
  { id, name }: Verifier,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): ReadonlyArray<Uint8Array> =>
  signatures
    .map((signature) => ({ bytes: bytesOf(signature.value), isNamed: signature.name === name }))
    .filter(({ bytes, isNamed }) => isNamed && Hex.encode(bytes.subarray(0, 4)) === id)
    .map(({ bytes }) => bytes.subarray(4))

/**
 * Signature of one key under a text. `Wrong` refuses the whole note, since somebody else wrote a signature in its
 * name.
 */
export type SignatureStatus = "Absent" | "Signed" | "Wrong"

/**
 * Looks for the signatures of a key, given by its verifier text, under a text.
 *
 * @source C2SP signed-note, "Signatures"
 */
export const check = (
  by: string,
  text: string,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): Result.Result<SignatureStatus, VerifierInvalid> =>
  Result.flatMap(verifier(by), (known) => {
    if (known.type !== plain) {
      return Result.fail(new VerifierInvalid({ verifier: by, reason: "it is the key of a witness, which cosigns" }))
    }
    const found = bytesBy(known, signatures)
    if (found.length === 0) return Result.succeed("Absent")
    return Result.succeed(found.every((bytes) => isSignature(bytes, text, known.key)) ? "Signed" : "Wrong")
  })

/**
 * Looks for the signature of a log, given by its verifier text, under a checkpoint. A log signs under its own name,
 * so a key of another origin counts as `Absent`.
 *
 * @source C2SP tlog-checkpoint, "Signatures"
 */
export const checkLog = (
  by: string,
  checkpoint: TreeCheckpoint.TreeCheckpoint
): Result.Result<SignatureStatus, VerifierInvalid | TreeCheckpoint.TreeCheckpointInvalid> =>
  Result.gen(function* () {
    const { name } = yield* verifier(by)
    const text = yield* TreeCheckpoint.format({ ...checkpoint, signatures: [] })
    return name === checkpoint.origin ? yield* check(by, text, checkpoint.signatures) : "Absent"
  })

/** Tells whether a key, given by its verifier text, signed a text, and no wrong signature is there in its name. */
export const isSignedBy = (
  by: string,
  text: string,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): Result.Result<boolean, VerifierInvalid> => Result.map(check(by, text, signatures), (found) => found === "Signed")

/** Checks one Ed25519 signature exactly as RFC 8032 says, in agreement with other implementations. */
export const isSignature = (signature: Uint8Array, text: string, key: Uint8Array): boolean =>
  signature.length === 64 && ed25519.verify(signature, utf8ToBytes(text), key, { zip215: false })

const signatureTypes = [plain, cosigning] as const

/** The public key of a seed, after the byte of its type. */
const typedOf = (seed: Uint8Array, type: SignatureType): Uint8Array =>
  concatBytes(Uint8Array.of(type), ed25519.getPublicKey(seed))

/** PKCS #8 of a seed: the bytes before it, in both forms, without the public key and with it (RFC 8410). */
const before = "302e020100300506032b657004220420"
const form = new RegExp(
  `^(?:${before}([0-9a-f]{64})|3051020101300506032b657004220420([0-9a-f]{64})812100[0-9a-f]{64})$`
)

const seedOf = (pem: string): Uint8Array | undefined => {
  const [, body = ""] = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/.exec(pem) ?? []
  const [, alone, beside] = form.exec(Hex.encode(bytesOf(body.replace(/\s/g, "")))) ?? []
  const seed = alone ?? beside
  return seed === undefined ? undefined : Result.getOrThrow(Hex.decode(seed))
}

const bytesOf = (base64: string): Uint8Array => Result.getOrElse(Base64.decode(base64), () => new Uint8Array())

/** The first four bytes of a digest over the name and the key, in hex. */
const idOf = (name: string, typed: Uint8Array): string =>
  Digest.ofBytes(concatBytes(utf8ToBytes(`${name}\n`), typed)).slice(0, 8)
