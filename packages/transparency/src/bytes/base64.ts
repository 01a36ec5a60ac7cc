/** Base64 in its one canonical form, and digests in it. */

import * as Digest from "@backstitch/trace/Digest"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** Tells whether text is canonical base64 of at least the given number of bytes. */
export const isBase64 = (text: string, bytesMin: number): boolean => {
  const bytes = Base64.decode(text)
  return Result.isSuccess(bytes) && bytes.success.length >= bytesMin && Base64.encode(bytes.success) === text
}

/** Reads a digest, 32 bytes. */
export const digestOf = (base64: string): Digest.Digest | undefined => {
  if (!isBase64(base64, 32)) return undefined
  const hex = Result.getOrThrow(Result.map(Base64.decode(base64), Hex.encode))
  return Digest.isDigest(hex) ? hex : undefined
}

/** Writes a digest; `undefined` for other text. */
export const ofDigest = (digest: Digest.Digest): string | undefined =>
  Digest.isDigest(digest) ? Base64.encode(Result.getOrThrow(Hex.decode(digest))) : undefined
