/**
 * A signed message to an endpoint, in the form of Standard Webhooks.
 *
 * @source Standard Webhooks, specification 1.0
 */
import * as Hmac from "@backstitch/trace/Hmac"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** Reads the bytes of a secret, such as `whsec_` and 32 bytes in base64. */
const keyOf = (secret: string): Uint8Array => Result.getOrThrow(Base64.decode(secret.replace(/^whsec_/, "")))

/** Derives the secret of an endpoint from that of its tenant, so that no store has to keep it. */
export const secretOf = (tenantSecret: string, endpoint: string): string => {
  const key = Hmac.sign(tenantSecret, `backstitch.webhook.1\n${endpoint}`)
  return `whsec_${Base64.encode(Result.getOrThrow(Hex.decode(key)))}`
}

/** The headers of a message that is sent at a time in epoch milliseconds. Each attempt has the same id. */
export const headers = (
  secret: string,
  message: { readonly id: string; readonly body: string; readonly now: number }
): Readonly<Record<string, string>> => {
  const { body, id, now } = message
  const time = String(Math.floor(now / 1000))
  const signed = Result.getOrThrow(Hex.decode(Hmac.sign(keyOf(secret), `${id}.${time}.${body}`)))
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${Base64.encode(signed)}`
  }
}
