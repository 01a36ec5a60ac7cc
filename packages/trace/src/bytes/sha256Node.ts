/** SHA-256 by `node:crypto`, four to ten times as fast as the portable one. */
import { hash } from "node:crypto"

export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")
