/**
 * Keyed digests: HMAC-SHA-256 in hex. They use the hash of the platform, which is much faster than a portable one.
 *
 * @source RFC 2104
 */
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import * as Digest from "./Digest.ts"

/** Digests a text or bytes under a secret: the bytes of a key, or a text whose UTF-8 bytes are the key. */
export const sign = (secret: string | Uint8Array, content: string | Uint8Array): string => {
  const { inner, outer } = padsOf(secret)
  const message = new Uint8Array(inner.length + (typeof content === "string" ? 3 : 1) * content.length)
  message.set(inner)
  const written = put(content, message.subarray(inner.length))
  outer.set(digest(message.subarray(0, inner.length + written)), inner.length)
  return Digest.ofBytes(outer)
}

const encoder = new TextEncoder()

/** Writes a content, and answers the number of its bytes. */
const put = (content: string | Uint8Array, place: Uint8Array): number => {
  if (typeof content === "string") return encoder.encodeInto(content, place).written
  place.set(content)
  return content.length
}

const digest = (bytes: Uint8Array): Uint8Array => Result.getOrThrow(Hex.decode(Digest.ofBytes(bytes)))

/** Tells whether a signature is the expected one, in a time that does not depend on how much of it is right. */
export const isSame = (expected: string, signature: string): boolean => {
  let differs = expected.length ^ signature.length
  for (let index = 0; index < expected.length; index++) {
    differs |= expected.charCodeAt(index) ^ (signature.charCodeAt(index) || 0)
  }
  return differs === 0
}

interface Pads {
  readonly secret: string | Uint8Array
  readonly inner: Uint8Array
  /** The pad, and room for the inner digest. */
  readonly outer: Uint8Array
}

let pads: Pads | undefined

/** A process signs many texts under one secret, so its pads are kept. */
const padsOf = (secret: string | Uint8Array): Pads => {
  if (typeof secret === "string" && pads?.secret === secret) return pads
  const bytes = typeof secret === "string" ? encoder.encode(secret) : secret
  const key = new Uint8Array(64)
  key.set(bytes.length > 64 ? digest(bytes) : bytes)
  const outer = new Uint8Array(96)
  outer.set(key.map((byte) => byte ^ 0x5c))
  pads = { secret, inner: key.map((byte) => byte ^ 0x36), outer }
  return pads
}
