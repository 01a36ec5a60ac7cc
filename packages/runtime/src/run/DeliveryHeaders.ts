/** Headers of a delivery: reads them from text, and finds the signature of a webhook among them. */
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as WebhookForm from "@backstitch/contracts/WebhookForm"
import * as JsonText from "@backstitch/trace/JsonText"

/** Headers by their names in lower case. */
export type Headers = ReadonlyMap<string, string>

/**
 * Reads headers from one JSON object, or from lines as HTTP has them. Lines that are no header are skipped, such as
 * that of the request.
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
 * Puts the signature under the name that its form has for it, where another name was given. Any other header that could
 * carry one is dropped then: the name that was given decides.
 */
export const renamed = (headers: Headers, webhook: Webhook.Webhook, named: string | undefined): Headers => {
  const value = named === undefined ? undefined : headers.get(named.toLowerCase())
  if (named === undefined) return headers
  const rest = [...headers].filter(([name]) => !signatures(webhook).includes(name))
  const [name] = signatures(webhook)
  return new Map(value === undefined || name === undefined ? rest : [...rest, [name, value]])
}

/** Tells whether headers carry a signature of the form, right or wrong. */
export const isSigned = (headers: Headers, webhook: Webhook.Webhook): boolean =>
  signatures(webhook).some((name) => headers.has(name))

/** Lists the headers in which a signature may stand. */
export const signatures = ({ form, header }: Webhook.Webhook): ReadonlyArray<string> => {
  if (form === "hmac" && header === undefined) return WebhookForm.usualHeaders
  return [WebhookForm.headerOf(form, header) ?? "webhook-signature"]
}

const object = (text: string): ReadonlyArray<readonly [string, unknown]> | undefined => {
  try {
    const value: unknown = JsonText.read(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}
