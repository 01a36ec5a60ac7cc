/** Headers of a delivery: parsed from text, with the signature of the webhook. */
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as WebhookForm from "@backstitch/contracts/WebhookForm"
import * as JsonText from "@backstitch/trace/JsonText"

/** Headers by their names in lower case. */
export type Headers = ReadonlyMap<string, string>

/** The parts of a webhook that say where its signature stands. */
export type SignaturePlace = Pick<Webhook.Webhook, "form" | "header">

/**
 * Reads headers from a JSON object, or from lines as in HTTP. Lines that are no header, such as the request line, are
 * skipped.
 */
export const parse = (text: string): Headers => {
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

/**
 * Renames the given header to the name that the form of the signature has for it. Any other header that could carry a
 * signature is then dropped, so that the given one decides.
 */
export const renamed = (headers: Headers, webhook: SignaturePlace, named: string | undefined): Headers => {
  const value = named === undefined ? undefined : headers.get(named.toLowerCase())
  if (named === undefined) return headers
  const rest = [...headers].filter(([name]) => !signatures(webhook).includes(name))
  const [name] = signatures(webhook)
  return new Map(value === undefined || name === undefined ? rest : [...rest, [name, value]])
}

/** Tells whether headers carry a signature of the form, right or wrong. */
export const isSigned = (headers: Headers, webhook: SignaturePlace): boolean =>
  signatures(webhook).some((name) => headers.has(name))

/** Lists the headers in which a signature may stand. */
export const signatures = ({ form, header }: SignaturePlace): ReadonlyArray<string> => {
  if (form === "hmac" && header === undefined) return WebhookForm.usualHeaders
  return [WebhookForm.headerOf(form, header) ?? WebhookForm.headers.standardSignature]
}

const object = (text: string): ReadonlyArray<readonly [string, unknown]> | undefined => {
  try {
    const value: unknown = JsonText.read(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}
