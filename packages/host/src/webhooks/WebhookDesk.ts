/**
 * The endpoints of a tenant as its admins see and change them, each act on record before it is made.
 *
 * @see {@link WebhookEndpoints} for the endpoints themselves
 */
import * as AdministrationLog from "@backstitch/runtime/AdministrationLog"
import type { NewsType } from "@backstitch/runtime/NewsType"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as EndpointAddress from "./EndpointAddress.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"
import * as WebhookOutbox from "./WebhookOutbox.ts"

/**
 * An endpoint with what it has not taken yet, as plain JSON. Its secret is nowhere. Of one whose note cannot be read,
 * `unread` is the reason, and its address and the time at which it was made are `null`.
 */
export interface Webhook {
  readonly endpoint: string
  readonly unread: string | null
  readonly url: string | null
  readonly types: ReadonlyArray<NewsType>
  readonly shows: boolean
  readonly since: string | null
  readonly gone: boolean
  readonly failed: { readonly at: string; readonly why: string } | null
  readonly undelivered: {
    readonly messages: number
    readonly attempts: number
    readonly dueAt: string
    readonly why: string | null
  } | null
}

/** The outcome of a test. */
export interface Tested {
  readonly endpoint: string
  readonly outcome: "taken" | "gone" | "refused"
  readonly why: string | null
}

/** Lists the endpoints of a tenant, in the order in which they were made, and behind them those that are not read. */
export const list = Effect.fn("WebhookDesk.list")(function* (tenant: Tenant) {
  const left = yield* WebhookOutbox.undelivered(tenant)
  const read = yield* WebhookEndpoints.list(tenant, { isAgain: true })
  const all = read.toSorted((one, other) => one.since - other.since)
  const unread = yield* WebhookEndpoints.unread(tenant)
  return [
    ...all.map((each) => told(each, left.get(each.id))),
    ...unread.map((each) => toldUnread(each, left.get(each.id)))
  ]
})

/** Makes an endpoint in the name of an admin, and answers it with its secret, which is shown this once. */
export const create = Effect.fn("WebhookDesk.create")(function* (
  tenant: Tenant,
  asked: WebhookEndpoints.EndpointRequest & { readonly by: string },
  options: EndpointAddress.Options & { readonly tenantSecret: string }
) {
  const { by, ...wanted } = asked
  const record = ({ id, shows = false, types, url }: WebhookEndpoints.Endpoint) =>
    AdministrationLog.record(tenant, {
      act: "webhook.create",
      by,
      about: { endpoint: id, origin: EndpointAddress.originOf(url), types, shows }
    })
  const { endpoint, secret } = yield* WebhookEndpoints.create(tenant, wanted, options, record)
  return { webhook: told(endpoint, undefined), secret }
})

/** Removes an endpoint in the name of an admin, and answers it as it was. */
export const remove = Effect.fn("WebhookDesk.remove")(function* (
  tenant: Tenant,
  { by, endpoint: id }: { readonly by: string; readonly endpoint: string }
) {
  const found = (yield* list(tenant)).find(({ endpoint }) => endpoint === id)
  if (found === undefined) return yield* new WebhookEndpoints.EndpointUnknown({ endpoint: id })
  yield* AdministrationLog.record(tenant, {
    act: "webhook.remove",
    by,
    about: { endpoint: id, origin: found.url === null ? null : EndpointAddress.originOf(found.url) }
  })
  yield* WebhookEndpoints.remove(tenant, id)
  return found
})

/** Sends an endpoint a test, once, and answers what came of it. */
export const test = Effect.fn("WebhookDesk.test")(function* (
  tenant: Tenant,
  endpoint: string,
  settings: WebhookOutbox.Settings
) {
  const sent = yield* WebhookOutbox.test(tenant, endpoint, settings)
  const tested: Tested = { endpoint, outcome: outcomes[sent._tag], why: sent._tag === "Refused" ? sent.why : null }
  return tested
})

const outcomes = { Taken: "taken", Gone: "gone", Refused: "refused" } as const

const iso = (millis: number): string => new Date(millis).toISOString()

const told = (
  { failed, gone = false, id, shows = false, since, types, url }: WebhookEndpoints.Endpoint,
  left: WebhookOutbox.Undelivered | undefined
): Webhook => ({
  endpoint: id,
  unread: null,
  url,
  types,
  shows,
  since: iso(since),
  gone,
  failed: failed === undefined ? null : { at: iso(failed.at), why: failed.why },
  undelivered: toldLeft(left)
})

const toldUnread = (
  { id, problem }: WebhookEndpoints.UnreadEndpoint,
  left: WebhookOutbox.Undelivered | undefined
): Webhook => ({
  endpoint: id,
  unread: problem,
  url: null,
  types: [],
  shows: false,
  since: null,
  gone: false,
  failed: null,
  undelivered: toldLeft(left)
})

const toldLeft = (left: WebhookOutbox.Undelivered | undefined): Webhook["undelivered"] =>
  left === undefined ? null : { ...left, dueAt: iso(left.dueAt), why: left.why ?? null }
