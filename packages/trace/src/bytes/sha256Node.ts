/** SHA-256 by `node:crypto`, four to ten times as fast as the portable one. */
import { hash } from "node:crypto"

/** SHA-256 of a text in UTF-8, or of bytes, as hex. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")
