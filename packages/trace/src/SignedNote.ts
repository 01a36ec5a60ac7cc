/**
 * Signs and checks notes with Ed25519 keys, in the form that witnesses of transparency logs read.
 *
 * A tree head that nobody signed is worth as much as the place in which it was
 * kept. Signed, it can be told from one that was made up later, wherever it
 * comes from.
 *
 * **Example** (Signing a checkpoint)
 *
 * ```ts import.meta.vitest
 * import { SignedNote } from "@backstitch/trace"
 * import * as Result from "effect/Result"
 *
 * // Of real keys the seed is random.
 * const key = SignedNote.toKey(new Uint8Array(32))
 * const signer = Result.getOrThrow(SignedNote.signer("example.org/log", key))
 * const signature = SignedNote.sign(signer, "what is signed\n")
 *
 * SignedNote.isSignedBy(signer.verifier, "what is signed\n", [signature]) // => Result.succeed(true)
 * SignedNote.isSignedBy(signer.verifier, "something else\n", [signature]) // => Result.succeed(false)
 * ```
 *
 * @source C2SP signed-note; RFC 8032, RFC 8410
 * @since 0.1.0
 */
import { ed25519 } from "@noble/curves/ed25519.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Digest from "./Digest.ts"
import type * as TreeCheckpoint from "./TreeCheckpoint.ts"

/**
 * Who signs, and the text by which others know their key: `NAME+ID+BASE64`. The seed is the secret.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signer {
  readonly name: string
  readonly verifier: string
  readonly seed: Uint8Array
}

/**
 * Error for text that is no private key, or a key that signs otherwise.
 *
 * @category errors
 * @since 0.1.0
 */
export class SigningKeyInvalid extends Schema.TaggedError<SigningKeyInvalid>("@backstitch/trace/SigningKeyInvalid")(
  "SigningKeyInvalid",
  { name: Schema.String }
) {
  override get message(): string {
    return `The key of ${this.name} is no private Ed25519 key in PEM (PKCS #8, without a password). Give another one`
  }
}

/**
 * Error for a verifier text that names no key.
 *
 * @category errors
 * @since 0.1.0
 */
export class VerifierInvalid extends Schema.TaggedError<VerifierInvalid>("@backstitch/trace/VerifierInvalid")(
  "VerifierInvalid",
  { verifier: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `"${this.verifier}" names no key: ${this.reason}. Give the text NAME+ID+BASE64 that came with the key`
  }
}

/**
 * Writes the private key of a seed, 32 random bytes, in PEM (PKCS #8).
 *
 * @category conversions
 * @since 0.1.0
 */
export const toKey = (seed: Uint8Array): string => {
  const der = Result.getOrThrow(Hex.decode(`${before}${Hex.encode(seed)}`))
  return `-----BEGIN PRIVATE KEY-----\n${Base64.encode(der)}\n-----END PRIVATE KEY-----\n`
}

/**
 * Makes a signer of a private key in PEM (PKCS #8).
 *
 * @category constructors
 * @since 0.1.0
 */
export const signer = (name: string, pem: string): Result.Result<Signer, SigningKeyInvalid> => {
  const seed = seedOf(pem)
  if (seed === undefined) return Result.fail(new SigningKeyInvalid({ name }))
  const typed = concatBytes(Uint8Array.of(algorithm), ed25519.getPublicKey(seed))
  return Result.succeed({ name, verifier: `${name}+${idOf(name, typed)}+${Base64.encode(typed)}`, seed })
}

/**
 * Signs the text of a note.
 *
 * @category combinators
 * @since 0.1.0
 */
export const sign = ({ name, seed }: Signer, text: string): TreeCheckpoint.Signature => {
  const id = idOf(name, concatBytes(Uint8Array.of(algorithm), ed25519.getPublicKey(seed)))
  const signature = ed25519.sign(utf8ToBytes(text), seed)
  return { name, value: Base64.encode(concatBytes(Result.getOrThrow(Hex.decode(id)), signature)) }
}

/**
 * Tells whether one of the signatures under a text is of the key that a verifier text names.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSignedBy = (
  verifier: string,
  text: string,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): Result.Result<boolean, VerifierInvalid> => {
  const [, name = "", id = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(verifier) ?? []
  const typed = bytesOf(encoded)
  const fail = (reason: string) => Result.fail(new VerifierInvalid({ verifier, reason }))
  if (typed[0] !== algorithm || typed.length !== 33) return fail("it is no Ed25519 key")
  if (idOf(name, typed) !== id) return fail("its id is that of another key")
  return Result.succeed(
    signatures.some((signature) => {
      const bytes = bytesOf(signature.value)
      const isOfKey = signature.name === name && Hex.encode(bytes.subarray(0, 4)) === id && bytes.length === 68
      return isOfKey && isValid(bytes.subarray(4), text, typed.subarray(1))
    })
  )
}

/** The number of Ed25519 among the algorithms of signed notes. */
const algorithm = 1

/** What stands before the seed in PKCS #8, without the public key and with it (RFC 8410). */
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

/** By the letter of RFC 8032, as other implementations decide it. */
const isValid = (signature: Uint8Array, text: string, key: Uint8Array): boolean =>
  ed25519.verify(signature, utf8ToBytes(text), key, { zip215: false })

const bytesOf = (base64: string): Uint8Array => Result.getOrElse(Base64.decode(base64), () => new Uint8Array())

/** The first four bytes of a digest over the name and the key, in hex. */
const idOf = (name: string, typed: Uint8Array): string =>
  Digest.ofBytes(concatBytes(utf8ToBytes(`${name}\n`), typed)).slice(0, 8)
