/** The headers of a delivery, in which its signature stands: of a file, or one that was typed. */

import { readFile } from "node:fs/promises"
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as WebhookForm from "@backstitch/contracts/WebhookForm"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Effect from "effect/Effect"
import * as FileProblem from "../../input/FileProblem.ts"
import { Usage } from "../../terminal/Failure.ts"

/** Headers by their names in lower case. */
export type Headers = ReadonlyMap<string, string>

/** What may be typed about a signature. */
export interface Typed {
  readonly signature: string | undefined
  readonly headers: string | undefined
  readonly signatureHeader: string | undefined
}

/** The headers of a file, or the one that was typed, with the signature where the form of the contract looks for it. */
export const read = Effect.fnUntraced(function* (
  { headers: file, signature, signatureHeader }: Typed,
  webhook: Webhook.Webhook
) {
  if ((signature === undefined) === (file === undefined)) {
    const problem = "Give the signature of the delivery: as it came with --signature, or its headers with --headers"
    return yield* new Usage({ problem })
  }
  if (signature !== undefined) {
    const name = WebhookForm.headerOf(webhook.form, webhook.header)
    if (name !== undefined) return new Map([[name, signature.trim()]])
    const problem = `What ${webhook.form} signs stands in several headers: give them all with --headers`
    return yield* new Usage({ problem })
  }
  const text = yield* Effect.tryPromise({
    try: () => readFile(file!, "utf8"),
    catch: (cause) => new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })
  })
  const given = parse(text)
  const headers = renamed(given, webhook, signatureHeader)
  if (isSigned(headers, webhook)) return headers
  const looked = signatureHeader ?? lookedFor(webhook).join(", ")
  const has = given.size === 0 ? "no header at all" : [...given.keys()].join(", ")
  return yield* new Usage({
    problem: `${file} has no header ${looked}. It has ${has}. Name the header with --signature-header`
  })
})

/** Headers in which the signature stands under the name that its form has for it, where another name was given. */
export const renamed = (headers: Headers, webhook: Webhook.Webhook, named: string | undefined): Headers => {
  const value = named === undefined ? undefined : headers.get(named.toLowerCase())
  if (named === undefined) return headers
  const rest = [...headers].filter(([name]) => !lookedFor(webhook).includes(name))
  const [name] = lookedFor(webhook)
  return new Map(value === undefined || name === undefined ? rest : [...rest, [name, value]])
}

/** Tells whether headers carry a signature of the form, right or wrong. */
export const isSigned = (headers: Headers, webhook: Webhook.Webhook): boolean =>
  lookedFor(webhook).some((name) => headers.has(name))

/** The headers in which a signature may stand. */
const lookedFor = ({ form, header }: Webhook.Webhook): ReadonlyArray<string> => {
  if (form === "hmac" && header === undefined) return WebhookForm.usualHeaders
  return [WebhookForm.headerOf(form, header) ?? "webhook-signature"]
}

/**
 * Headers by their names in lower case: of one JSON object, or of lines as HTTP has them. What is no header is skipped,
 * as the request line is.
 */
export const parse = (text: string): ReadonlyMap<string, string> => {
  const named = object(text)
  if (named !== undefined) {
    return new Map(named.flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : [])))
  }
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const]
  })
  return new Map(lines)
}

const object = (text: string): ReadonlyArray<readonly [string, unknown]> | undefined => {
  try {
    const value: unknown = JsonText.read(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}
