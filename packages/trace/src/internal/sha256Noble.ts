/** SHA-256 by `@noble/hashes`, for every JavaScript runtime. */
import { sha256 as noble } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Sha256 } from "../Digest.ts"

export const sha256: Sha256 = (data) => bytesToHex(noble(typeof data === "string" ? utf8ToBytes(data) : data))
