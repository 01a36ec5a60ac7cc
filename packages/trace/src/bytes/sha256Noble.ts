/** SHA-256 by `@noble/hashes`, for every JavaScript runtime. */
import { sha256 as noble } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

export const sha256 = (data: string | Uint8Array): string =>
  bytesToHex(noble(typeof data === "string" ? utf8ToBytes(data) : data))
