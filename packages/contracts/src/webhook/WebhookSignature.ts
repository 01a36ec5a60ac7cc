/**
 * The check that one of the known secrets signed a delivery, in the form of its provider.
 *
 * It is separate from the forms, which every contract names, because only the check needs elliptic curves: a package
 * that reads contracts does not load them.
 *
 * @source Standard Webhooks, specification 1.0; RFC 2104; RFC 8032
 */
import * as Hmac from "@backstitch/trace/Hmac"
import { ed25519 } from "@noble/curves/ed25519.js"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import { headers as named, type RawDelivery, type Signed, usualHeaders, type WebhookForm } from "./WebhookForm.ts"

/** Tells whether a text can be a secret of the form. An empty text is never a secret. */
export const isSecret = (self: WebhookForm, secret: string): boolean =>
  self === "standard_webhooks" ? standardKey(secret) !== undefined : secret !== ""

/** The text of a body; `undefined` if its bytes are not UTF-8, as those of JSON are. */
export const textOf = (body: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

/**
 * Checks that one of the secrets signed a delivery; `undefined` if none did.
 *
 * **Details**
 *
 * The check takes the same time however much of a signature is right. `header` is that of the form `hmac`. The time
 * is part of the signature and is not judged here: {@link Signed.sentAt} is for the contract's tolerance. Nor is the
 * body, whose bytes are signed, whatever they are.
 *
 * **Example** (GitHub's own example)
 *
 * ```ts import.meta.vitest
 * import * as WebhookSignature from "@backstitch/contracts/WebhookSignature"
 *
 * const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
 * const headers = new Map([["x-hub-signature-256", signature]])
 *
 * const bytes = (text: string) => new TextEncoder().encode(text)
 *
 * const secrets = ["It's a Secret to Everybody"]
 *
 * WebhookSignature.check("github", { headers, body: bytes("Hello, World!") }, secrets) // => {}
 * WebhookSignature.check("github", { headers, body: bytes("Hello, World?") }, secrets) // => undefined
 * ```
 */
export const check = (
  self: WebhookForm,
  arrived: RawDelivery,
  secrets: ReadonlyArray<string>,
  header?: string
): Signed | undefined => {
  const known = secrets.filter((secret) => isSecret(self, secret))
  const { body, headers } = arrived
  switch (self) {
    case "hmac":
      return isAnyOf(known, body, [plainSignature(headers, header)]) ? {} : undefined
    case "github": {
      const [, hex = ""] = /^sha256=([0-9a-f]{64})$/.exec(headers.get(named.github) ?? "") ?? []
      return isAnyOf(known, body, [hex]) ? {} : undefined
    }
    case "stripe":
      return stripe(arrived, known)
    case "standard_webhooks":
      return standard(arrived, known)
  }
}

const encoder = new TextEncoder()

/** A body behind what is signed before it. */
const behind = (text: string, body: Uint8Array): Uint8Array => {
  const before = encoder.encode(text)
  const content = new Uint8Array(before.length + body.length)
  content.set(before)
  content.set(body, before.length)
  return content
}

/** Checks an Ed25519 signature exactly as RFC 8032 says, in agreement with other implementations. */
const isSignedBy = (signature: Uint8Array, content: Uint8Array, key: Uint8Array): boolean =>
  signature.length === 64 && ed25519.verify(signature, content, key, { zip215: false })

/** A body is digested once per key, however many signatures come with it. The time does not reveal which pair fits. */
const isAnyOf = (
  keys: ReadonlyArray<string | Uint8Array>,
  content: Uint8Array,
  signatures: ReadonlyArray<string>
): boolean => {
  const fits = keys.flatMap((key) => {
    const expected = Hmac.sign(key, content)
    return signatures.map((signature) => Hmac.isSame(expected, signature))
  })
  return fits.includes(true)
}

const plainSignature = (headers: RawDelivery["headers"], header: string | undefined): string => {
  const looked = header === undefined ? usualHeaders : [header.toLowerCase()]
  const value = looked.map((name) => headers.get(name)).find((found) => found !== undefined) ?? ""
  return value.replace(/^sha256=/, "").toLowerCase()
}

/** Whole seconds since the epoch, as both forms write the time. */
const seconds = /^[0-9]{1,11}$/

/** A `v0` signature is for tests of the provider, and does not count. */
const stripe = ({ body, headers }: RawDelivery, secrets: ReadonlyArray<string>): Signed | undefined => {
  const parts = (headers.get(named.stripe) ?? "").split(",").map((part) => part.split("="))
  const valuesOf = (name: string) => parts.flatMap(([key, value = ""]) => (key === name ? [value] : []))
  const [time = "", ...more] = valuesOf("t")
  if (!seconds.test(time) || more.length > 0) return undefined
  return isAnyOf(secrets, behind(`${time}.`, body), valuesOf("v1")) ? { sentAt: Number(time) * 1000 } : undefined
}

interface StandardKey {
  readonly version: "v1" | "v1a"
  readonly bytes: Uint8Array
}

const standardKey = (secret: string): StandardKey | undefined => {
  const [, prefix = "", text = ""] = /^(whsec_|whpk_)?(.+)$/.exec(secret) ?? []
  const bytes = Base64.decode(text)
  if (Result.isFailure(bytes) || bytes.success.length === 0) return undefined
  if (prefix === "whpk_") return bytes.success.length === 32 ? { version: "v1a", bytes: bytes.success } : undefined
  return { version: "v1", bytes: bytes.success }
}

const standard = ({ body, headers }: RawDelivery, secrets: ReadonlyArray<string>): Signed | undefined => {
  const id = headers.get(named.standardId) ?? ""
  const time = headers.get(named.standardTime) ?? ""
  if (id === "" || !seconds.test(time)) return undefined
  const content = behind(`${id}.${time}.`, body)
  const given = (headers.get(named.standardSignature) ?? "").split(" ").map((part) => part.split(","))
  const bytesOf = (version: string) =>
    given.flatMap(([name, value = "", ...rest]) => {
      const bytes = name === version && rest.length === 0 ? Base64.decode(value) : undefined
      if (bytes === undefined || Result.isFailure(bytes)) return []
      // The last digit has bits that stand for nothing: of its four spellings only the one that encodes is taken.
      return Base64.encode(bytes.success) === value ? [bytes.success] : []
    })
  const keys = secrets.flatMap((secret) => standardKey(secret) ?? [])
  const [shared, open] = (["v1", "v1a"] as const).map((name) =>
    keys.flatMap(({ bytes, version }) => (version === name ? [bytes] : []))
  )
  const isShared = isAnyOf(shared ?? [], content, bytesOf("v1").map(Hex.encode))
  const isOpen = (open ?? []).some((key) => bytesOf("v1a").some((bytes) => isSignedBy(bytes, content, key)))
  return isShared || isOpen ? { id, sentAt: Number(time) * 1000 } : undefined
}
