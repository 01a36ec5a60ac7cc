/**
 * Cosignatures of witnesses: at a time, a head was the largest of its log, and the log has only grown.
 *
 * The owner of a log can show one history to one reader and another to the next, both correctly signed. A witness
 * keeps the last head that it saw of a log, and cosigns the next one only if that extends it. A reader who demands
 * cosignatures of witnesses that the owner does not control knows that all readers were shown one history.
 *
 * **Example** (A witness and a reader)
 *
 * ```ts import.meta.vitest
 * import { Cosignature, SignedNote } from "@backstitch/transparency"
 * import * as Result from "effect/Result"
 *
 * const body = "example.org/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
 * // An example. The seed of a real key is random.
 * const witness = Result.getOrThrow(Cosignature.signer("example.net/witness", SignedNote.toKey(new Uint8Array(32))))
 * const signature = Cosignature.sign(witness, body, 1_700_000_000)
 *
 * const found = Cosignature.check(witness.verifier, body, [signature])
 * found // => Result.succeed({ _tag: "Cosigned", seconds: 1700000000 })
 * Cosignature.check(witness.verifier, body, []) // => Result.succeed({ _tag: "Absent" })
 * ```
 *
 * @source C2SP tlog-cosignature, type 0x04
 */
import { ed25519 } from "@noble/curves/ed25519.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Limits from "./Limits.ts"
import * as SignedNote from "./SignedNote.ts"
import type * as TreeCheckpoint from "./TreeCheckpoint.ts"

/**
 * Cosignature of one witness under a checkpoint. `Wrong` refuses the whole note, since somebody else wrote in its
 * name.
 */
export type SignatureStatus =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Cosigned"; readonly seconds: number }
  | { readonly _tag: "Wrong" }

/**
 * Makes a witness from a private key in PEM (PKCS #8). No other signer may use the key, because a cosignature does
 * not name its witness.
 */
export const signer = (name: string, pem: string): Result.Result<SignedNote.Signer, SignedNote.SigningKeyInvalid> =>
  SignedNote.signer(name, pem, SignedNote.cosigning)

/** Cosigns the body of a checkpoint at a time, in seconds since 1970. */
export const sign = (self: SignedNote.Signer, body: string, seconds: number): TreeCheckpoint.Signature => {
  const time = BigInt(seconds)
  const signature = ed25519.sign(utf8ToBytes(message(time, body)), self.seed)
  return SignedNote.line(self, SignedNote.cosigning, concatBytes(bytesOf(time), signature))
}

/**
 * Looks for the cosignature of a witness, given by its verifier text, under the body of a checkpoint. Of several, the
 * latest counts.
 */
export const check = (
  witness: string,
  body: string,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): Result.Result<SignatureStatus, SignedNote.VerifierInvalid> =>
  Result.flatMap(SignedNote.verifier(witness), (verifier) => {
    if (verifier.type !== SignedNote.cosigning) {
      const reason = "it is the key of a log, and a witness cosigns with a key of its own"
      return Result.fail(new SignedNote.VerifierInvalid({ verifier: witness, reason }))
    }
    const times = SignedNote.bytesBy(verifier, signatures).map((bytes) => timeOf(bytes, body, verifier.key))
    return Result.succeed(statusOf(times))
  })

const statusOf = (times: ReadonlyArray<number | undefined>): SignatureStatus => {
  if (times.length === 0) return { _tag: "Absent" }
  if (!times.every((time) => time !== undefined)) return { _tag: "Wrong" }
  return { _tag: "Cosigned", seconds: Math.max(...times) }
}

const message = (time: bigint, body: string): string => `cosignature/v1\ntime ${time}\n${body}`

const bytesOf = (time: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, time)
  return bytes
}

/** The time of a cosignature, if it is one of the key under the body. */
const timeOf = (bytes: Uint8Array, body: string, key: Uint8Array): number | undefined => {
  if (bytes.length !== 72) return undefined
  const time = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
  const isGood =
    time <= Limits.refusing.cosignatureSecondsMax && SignedNote.isSignature(bytes.subarray(8), message(time, body), key)
  return isGood ? Number(time) : undefined
}
