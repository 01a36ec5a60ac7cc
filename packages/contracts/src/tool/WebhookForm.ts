/**
 * The forms in which providers sign what they deliver.
 *
 * A delivery is genuine if one of the secrets that are known signed it, as its
 * form has it. What a form signs beside the body is as good as the body: the
 * time at which it was sent, or the name of the delivery. What it does not sign
 * is not read, for anybody may write it.
 *
 * | form | signature | covers |
 * | --- | --- | --- |
 * | `hmac` | one header, in hex, with or without `sha256=` | the body |
 * | `github` | `X-Hub-Signature-256`, in hex behind `sha256=` | the body |
 * | `stripe` | each `v1` of `Stripe-Signature`, in hex | its time `t`, the body |
 * | `standard_webhooks` | each `v1` and `v1a` of `webhook-signature` | its name and time, the body |
 *
 * A secret is text, `whsec_` being part of it for Stripe. That of Standard
 * Webhooks is `whsec_` before a key in base64, or `whpk_` before a public
 * Ed25519 key, which checks `v1a`.
 *
 * @source Standard Webhooks, specification 1.0; Stripe, "Receive events in your webhook endpoint"; GitHub, "Validating
 * webhook deliveries"; RFC 2104; RFC 8032
 */

/** Names of the forms. */
export const names = ["hmac", "github", "standard_webhooks", "stripe"] as const

/** Name of a form. */
export type WebhookForm = (typeof names)[number]

/** A delivery as it came: its headers, by their names in lower case, and its body, byte for byte. */
export interface Arrived {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Facts that are signed beside the body. A form that signs neither leaves both out. */
export interface Signed {
  /** Epoch milliseconds at which the provider sent it. */
  readonly sentAt?: number
  /** The provider's name of the delivery, the same each time that it is sent again. */
  readonly id?: string
}

/** Headers in which providers put a signature of the form `hmac`, where the contract names none. */
export const usualHeaders = ["x-signature", "x-signature-256", "x-hub-signature-256", "x-webhook-signature"] as const

/** The header that alone carries all that a form signs beside the body; `undefined` where it takes several. */
export const headerOf = (self: WebhookForm, named?: string): string | undefined => {
  switch (self) {
    case "hmac":
      return named?.toLowerCase() ?? usualHeaders[0]
    case "github":
      return "x-hub-signature-256"
    case "stripe":
      return "stripe-signature"
    case "standard_webhooks":
      return undefined
  }
}
