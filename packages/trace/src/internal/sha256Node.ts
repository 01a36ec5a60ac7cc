/** SHA-256 by `node:crypto`, four to ten times as fast as the portable one. */
import { hash } from "node:crypto"
import type { Sha256 } from "../Digest.ts"

export const sha256: Sha256 = (data) => hash("sha256", data, "hex")
