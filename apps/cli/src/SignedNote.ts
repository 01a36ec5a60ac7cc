/**
 * Signs and checks notes with Ed25519 keys, in the form that witnesses of transparency logs read.
 *
 * @source C2SP signed-note
 * @since 0.1.0
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes
} from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import type * as TreeCheckpoint from "@backstitch/trace/TreeCheckpoint"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"

/**
 * A key that signs, and the text by which others know it: `NAME+ID+BASE64`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signer {
  readonly name: string
  readonly verifier: string
  readonly key: KeyObject
}

/**
 * Reads a private key in PEM, or makes one that its owner alone can read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const signer = (file: string, name: string): Effect.Effect<Signer, Usage> =>
  Effect.try({
    try: () => {
      const key = createPrivateKey(keptOrMade(file))
      if (key.asymmetricKeyType !== "ed25519") throw new Error(`it is a key of ${key.asymmetricKeyType}`)
      const raw = rawOf(createPublicKey(key))
      return { name, key, verifier: `${name}+${idOf(name, raw).toString("hex")}+${typed(raw).toString("base64")}` }
    },
    catch: (cause) =>
      new Usage({
        problem: `${file} is no private Ed25519 key in PEM: ${(cause as Error).message}. Name another --key`
      })
  })

/**
 * Signs the text of a note.
 *
 * @category combinators
 * @since 0.1.0
 */
export const sign = ({ key, name }: Signer, text: string): TreeCheckpoint.Signature => {
  const id = idOf(name, rawOf(createPublicKey(key)))
  const value = Buffer.concat([id, signBytes(null, Buffer.from(text), key)]).toString("base64")
  return { name, value }
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
): Effect.Effect<boolean, Usage> =>
  Effect.try({
    try: () => {
      const [, name = "", id = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(verifier) ?? []
      const raw = Buffer.from(encoded, "base64").subarray(1)
      if (Buffer.from(encoded, "base64")[0] !== ed25519 || raw.length !== 32) throw new Error("it is no Ed25519 key")
      if (idOf(name, raw).toString("hex") !== id) throw new Error("its id is that of another key")
      const x = raw.toString("base64url")
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
      return signatures.some((signature) => {
        const bytes = Buffer.from(signature.value, "base64")
        const isOfKey = signature.name === name && bytes.subarray(0, 4).toString("hex") === id
        return isOfKey && verifyBytes(null, Buffer.from(text), key, bytes.subarray(4))
      })
    },
    catch: (cause) => new Usage({ problem: `"${verifier}" names no key: ${(cause as Error).message}` })
  })

const ed25519 = 1

const keptOrMade = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
    const { privateKey } = generateKeyPairSync("ed25519")
    const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
    writeFileSync(file, pem, { flag: "wx", mode: 0o600 })
    return pem
  }
}

const rawOf = (key: KeyObject): Buffer => Buffer.from(String(key.export({ format: "jwk" }).x), "base64url")

const typed = (raw: Buffer): Buffer => Buffer.concat([Buffer.of(ed25519), raw])

const idOf = (name: string, raw: Buffer): Buffer =>
  createHash("sha256").update(`${name}\n`).update(typed(raw)).digest().subarray(0, 4)
