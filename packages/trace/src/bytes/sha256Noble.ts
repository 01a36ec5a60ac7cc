/** SHA-256 by `@noble/hashes`, for every JavaScript runtime. */
import { sha256 as noble } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** SHA-256 of a text in UTF-8, or of bytes, as hex. */
export const sha256 = (data: string | Uint8Array): string =>
  bytesToHex(noble(typeof data === "string" ? utf8ToBytes(data) : data))
