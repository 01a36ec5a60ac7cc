/** Flags that give the signature of a delivery: its text, or a file with all headers. */

import { readFile } from "node:fs/promises"
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as WebhookForm from "@backstitch/contracts/WebhookForm"
import * as DeliveryHeaders from "@backstitch/runtime/DeliveryHeaders"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as Effect from "effect/Effect"
import { Usage } from "../../terminal/Failure.ts"

/** The flags of a signature, as they were typed. */
export interface TypedSignature {
  readonly signature: string | undefined
  readonly headers: string | undefined
  readonly signatureHeader: string | undefined
}

/** Reads the headers, with the signature under the name that it has in the form of the contract. */
export const read = Effect.fnUntraced(function* (
  { headers: file, signature, signatureHeader }: TypedSignature,
  webhook: Webhook.Webhook
) {
  if ((signature === undefined) === (file === undefined)) {
    const problem = "Give the signature of the delivery: as it came with --signature, or its headers with --headers"
    return yield* new Usage({ problem })
  }
  if (signature !== undefined) {
    const name = WebhookForm.headerOf(webhook.form, webhook.header)
    if (name !== undefined) return new Map([[name, signature.trim()]])
    const problem = `The signature of ${webhook.form} stands in several headers: give them all with --headers`
    return yield* new Usage({ problem })
  }
  const given = DeliveryHeaders.parse(yield* textOf(file!))
  const headers = DeliveryHeaders.renamed(given, webhook, signatureHeader)
  if (DeliveryHeaders.isSigned(headers, webhook)) return headers
  const looked = signatureHeader ?? DeliveryHeaders.signatures(webhook).join(", ")
  const has = given.size === 0 ? "no header at all" : [...given.keys()].join(", ")
  return yield* new Usage({
    problem: `${file} has no header ${looked}. It has ${has}. Name the header with --signature-header`
  })
})

/** Reads the headers as they are sent on to a server, which knows the form of the signature. */
export const sent = Effect.fnUntraced(function* ({ headers: file, signature, signatureHeader }: TypedSignature) {
  if (file === undefined && signature !== undefined && signatureHeader !== undefined) {
    return new Map([[signatureHeader.toLowerCase(), signature.trim()]])
  }
  if (file === undefined || signature !== undefined || signatureHeader !== undefined) {
    const problem = "Give the headers with --headers, or --signature with the name of its header in --signature-header"
    return yield* new Usage({ problem })
  }
  return DeliveryHeaders.parse(yield* textOf(file))
})

const textOf = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => FileProblem.unreadable(file, cause)
  })
