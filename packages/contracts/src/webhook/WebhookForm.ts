/**
 * The forms in which providers sign deliveries.
 *
 * A delivery is genuine if one of the known secrets signed it, in its form. Signed data beside the body, such as the
 * time or the name of the delivery, are as trustworthy as the body. Unsigned data are not read, because anybody may
 * write them.
 *
 * | form | signature | covers |
 * | --- | --- | --- |
 * | `hmac` | one header, in hex, with or without `sha256=` | the body |
 * | `github` | `X-Hub-Signature-256`, in hex behind `sha256=` | the body |
 * | `stripe` | each `v1` of `Stripe-Signature`, in hex | its time `t`, the body |
 * | `standard_webhooks` | each `v1` and `v1a` of `webhook-signature` | its name and time, the body |
 *
 * A secret is text; for Stripe, `whsec_` is part of it. A secret of Standard Webhooks is `whsec_` before a key in
 * base64, or `whpk_` before a public Ed25519 key, which checks `v1a`.
 *
 * @source Standard Webhooks, specification 1.0; Stripe, "Receive events in your webhook endpoint"; GitHub,
 * "Validating webhook deliveries"; RFC 2104; RFC 8032
 */

/** Names of the forms. */
export const names = ["hmac", "github", "standard_webhooks", "stripe"] as const

/** Name of a form. */
export type WebhookForm = (typeof names)[number]

/** A delivery as it arrived: its headers by lower-case name, and the bytes of its body. */
export interface RawDelivery {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Signed facts beside the body. A form that signs none leaves them out. */
export interface Signed {
  /** Epoch milliseconds at which the provider sent it. */
  readonly sentAt?: number
  /** The provider's name of the delivery, which is the same each time it is sent. */
  readonly id?: string
}

/** The headers of GitHub and Stripe, and those of Standard Webhooks, in lower case. */
export const headers = {
  github: "x-hub-signature-256",
  standardId: "webhook-id",
  standardSignature: "webhook-signature",
  standardTime: "webhook-timestamp",
  stripe: "stripe-signature"
} as const

/** Usual headers for a signature of the form `hmac`, for a contract that names none. */
export const usualHeaders = ["x-signature", "x-signature-256", headers.github, "x-webhook-signature"] as const

/** The one header that carries all that a form signs beside the body; `undefined` if there are several. */
export const headerOf = (self: WebhookForm, named?: string): string | undefined => {
  switch (self) {
    case "hmac":
      return named?.toLowerCase() ?? usualHeaders[0]
    case "github":
      return headers.github
    case "stripe":
      return headers.stripe
    case "standard_webhooks":
      return undefined
  }
}
