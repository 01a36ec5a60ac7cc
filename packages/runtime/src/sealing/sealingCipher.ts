/**
 * The ciphers of sealed values, all of `node:crypto`: AES-256-GCM, HMAC-SHA-256, HKDF-SHA-256.
 *
 * @source NIST SP 800-38D, RFC 2104, RFC 5869, RFC 7748
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes
} from "node:crypto"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Tenant } from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { SubjectKey } from "@backstitch/trace/Vault"

const ivBytes = 12
const tagBytes = 16

/** The use of a derived key. */
type Purpose = "answer" | "identity" | "salt" | "seal" | "subject" | "wrap"

/** Derives a key for one purpose, and from a tenant's key only for that tenant (L15). */
export const derive = (key: Uint8Array, purpose: Purpose, within = ""): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `backstitch.${purpose}.1\n${within}`, 32))

/**
 * Encrypts a value, with associated data that is not encrypted and has to be the same at decryption. Answers nonce,
 * tag and ciphertext.
 */
export const encrypt = (key: Uint8Array, plain: Uint8Array, bound: string): string => {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(bound))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64")
}

/** Decrypts; `undefined` under another key, or if a bit was changed. */
export const decrypt = (key: Uint8Array, text: string, bound: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(bound))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Digests under a key. */
export const mac = (key: Uint8Array, text: string): Digest =>
  createHmac("sha256", key).update(text).digest("hex") as Digest

/** Answers 32 random bytes. */
export const random = (): Digest => randomBytes(32).toString("hex") as Digest

const publicBytes = 32

const rawOf = (key: KeyObject): Buffer => {
  const open = key.type === "private" ? createPublicKey(key) : key
  return open.export({ format: "der", type: "spki" }).subarray(-publicBytes)
}

const sharedOf = (own: KeyObject, other: KeyObject, both: ReadonlyArray<KeyObject>): Buffer => {
  const shared = diffieHellman({ privateKey: own, publicKey: other })
  return Buffer.from(hkdfSync("sha256", shared, Buffer.concat(both.map(rawOf)), "backstitch.recipient.1\n", 32))
}

/** Wraps a key for the owner of an X25519 key. Answers the public key that was made for it, and the ciphertext. */
export const wrapFor = (recipient: KeyObject, key: Uint8Array, bound: string): string => {
  const open = recipient.type === "private" ? createPublicKey(recipient) : recipient
  const { privateKey, publicKey } = generateKeyPairSync("x25519")
  const text = encrypt(sharedOf(privateKey, open, [publicKey, open]), key, bound)
  return Buffer.concat([rawOf(publicKey), Buffer.from(text, "base64")]).toString("base64")
}

/** Unwraps a key that was wrapped for the owner of a private key; `undefined` with any other key. */
export const unwrapFor = (own: KeyObject, wrapped: string, bound: string): Buffer | undefined => {
  const bytes = Buffer.from(wrapped, "base64")
  if (bytes.length < publicBytes) return undefined
  const other = createPublicKey({
    key: Buffer.concat([spki, bytes.subarray(0, publicBytes)]),
    format: "der",
    type: "spki"
  })
  return decrypt(sharedOf(own, other, [other, own]), bytes.subarray(publicBytes).toString("base64"), bound)
}

/** The bytes before those of an X25519 public key in DER (RFC 8410). */
const spki = Buffer.from("302a300506032b656e032100", "hex")

/** The associated data of a wrapped key: its id, tenant, run and subject. */
export const boundTo = (tenant: Tenant, { id, run, subject }: Omit<SubjectKey, "wrapped">): string =>
  Canonical.encode({ id, run, subject, tenant })

/** Seals a value under the key of its subject: makes its commitment, and its ciphertext with the salt. */
export const seal = (key: Uint8Array, value: Json): { readonly commitment: Digest; readonly text: string } => {
  // The salt is derived from the key. So equal values have equal commitments under one key, and without the key a
  // value cannot be guessed.
  const salt = mac(derive(key, "salt"), Canonical.encode(value))
  const commitment = SealedValue.commit(salt, value)
  const plain = Buffer.from(Canonical.encode({ salt, value }))
  return { commitment, text: encrypt(derive(key, "seal"), plain, commitment) }
}

/** The value of a ciphertext; `undefined` if it does not match its commitment. */
export const open = (key: Uint8Array, commitment: Digest, text: string): { readonly value: Json } | undefined => {
  const plain = decrypt(derive(key, "seal"), text, commitment)
  if (plain === undefined) return undefined
  const { salt, value } = Canonical.parse(plain.toString("utf8")) as { readonly salt: string; readonly value: Json }
  return SealedValue.commit(salt, value) === commitment ? { value } : undefined
}
