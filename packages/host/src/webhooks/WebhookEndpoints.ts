/**
 * The endpoints to which news of a tenant's runs are sent: made, listed and removed by its operators.
 *
 * The secret of an endpoint is derived from that of its tenant and from its id. It is shown once, when the endpoint is
 * made, and is nowhere kept. An endpoint whose secret is known to others is removed, and another one made.
 */
import { randomBytes } from "node:crypto"
import * as NewsType from "@backstitch/runtime/NewsType"
import * as Notes from "@backstitch/trace/Notes"
import type { Tenant } from "@backstitch/trace/Run"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import * as EndpointAddress from "./EndpointAddress.ts"
import * as WebhookMessage from "./WebhookMessage.ts"

/** Error for an address to which nothing is sent. It names the origin: the rest may be secret. */
export class EndpointRefused extends Schema.TaggedError<EndpointRefused>("@backstitch/host/EndpointRefused")(
  "EndpointRefused",
  {
    origin: Schema.String,
    fault: Schema.Literals(["no_url", "scheme", "credentials", "private", "unsigned", "too_many"])
  }
) {
  override get message(): string {
    const why = {
      no_url: "it is no URL",
      scheme: "only http and https are sent to",
      credentials: "it has a name or a password. Leave them out: messages are signed instead",
      private: "it is in a network that is not public, and this host does not permit that",
      unsigned: "the tenant has no secret from which that of the endpoint is derived",
      too_many: "the tenant has as many endpoints as it may have. Remove one"
    }[this.fault]
    return `Nothing is sent to ${this.origin}: ${why}`
  }
}

/** Error for an endpoint that a tenant does not have. */
export class EndpointUnknown extends Schema.TaggedError<EndpointUnknown>("@backstitch/host/EndpointUnknown")(
  "EndpointUnknown",
  { endpoint: Schema.String }
) {
  override get message(): string {
    return `There is no endpoint ${this.endpoint}`
  }
}

const Text = Schema.fromJsonString(
  Schema.Struct({
    url: Schema.String,
    types: Schema.Array(NewsType.NewsType),
    since: Schema.Number,
    /** It is sent cards with the arguments of the calls, of which sensitive ones are sealed. */
    shows: Schema.optionalKey(Schema.Boolean),
    /** The last message that was given up, or the end of the endpoint, if it wants no more. */
    failed: Schema.optionalKey(Schema.Struct({ at: Schema.Number, why: Schema.String })),
    gone: Schema.optionalKey(Schema.Boolean)
  })
)

/** An endpoint: its address, and the types of news that it wants. */
export interface Endpoint extends Schema.Schema.Type<typeof Text> {
  readonly id: string
}

const kind = "webhook.endpoint"
const decode = Notes.reader(Text)
const encode = Schema.encodeSync(Text)

/**
 * A wish for an endpoint. Without types, it wants all news. With `shows`, cards of approvals are sent to it whole, with
 * the arguments of the calls.
 */
export interface EndpointRequest {
  readonly url: string
  readonly types?: ReadonlyArray<NewsType.NewsType> | undefined
  readonly shows?: boolean | undefined
}

/**
 * Makes an endpoint, and answers it with its secret, which is shown this once. `before` is carried out before anything
 * is kept, such as to put it on record.
 */
export const create = Effect.fn("WebhookEndpoints.create")(function* <E = never, R = never>(
  tenant: Tenant,
  { shows = false, types = NewsType.all, url }: EndpointRequest,
  options: EndpointAddress.Options & { readonly tenantSecret: string },
  before: (endpoint: Endpoint) => Effect.Effect<void, E, R> = () => Effect.void
) {
  const parsed = EndpointAddress.parse(url, options)
  const origin = EndpointAddress.originOf(url)
  if (Result.isFailure(parsed)) return yield* new EndpointRefused({ origin, fault: parsed.failure })
  if (options.tenantSecret === "") return yield* new EndpointRefused({ origin, fault: "unsigned" })
  const isFull = (yield* list(tenant)).length >= Limits.refusing.webhookEndpointsMax
  if (isFull) return yield* new EndpointRefused({ origin, fault: "too_many" })
  const id = yield* Effect.sync(() => `ep_${randomBytes(16).toString("hex")}`)
  const text = { url, types, since: yield* Clock.currentTimeMillis, ...(shows ? { shows } : {}) }
  const made: Endpoint = { id, ...text }
  yield* before(made)
  const notes = yield* Notes.Notes
  yield* notes.put({ tenant, kind, name: id, text: encode(text), expected: 0 })
  return { endpoint: made, secret: WebhookMessage.secretOf(options.tenantSecret, id) }
})

/**
 * Lists the endpoints of a tenant that can be read, and logs the others. With `isAgain`, it logs nothing: a caller that
 * lists them again and again would repeat itself.
 */
export const list = Effect.fnUntraced(function* (
  tenant: Tenant,
  { isAgain = false }: { readonly isAgain?: boolean } = {}
) {
  const notes = yield* Notes.Notes
  const found = yield* notes.list({ kind, tenant })
  return isAgain ? Arr.filterMap(found, toEndpoint) : yield* Notes.readable(found, toEndpoint)
})

/** An endpoint whose note cannot be read, and the reason. It is told nothing, and its messages wait. */
export interface UnreadEndpoint {
  readonly id: string
  readonly problem: string
}

/** Lists the endpoints of a tenant that cannot be read, for whoever may remove them. */
export const unread = Effect.fnUntraced(function* (tenant: Tenant) {
  const notes = yield* Notes.Notes
  return (yield* notes.list({ kind, tenant })).flatMap((note): ReadonlyArray<UnreadEndpoint> => {
    const read = toEndpoint(note)
    return Result.isSuccess(read) ? [] : [{ id: note.name, problem: read.failure.message }]
  })
})

/** Finds an endpoint; `undefined` if there is none of that id. */
export const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const notes = yield* Notes.Notes
  const note = yield* notes.find({ tenant, kind, name: id })
  return note && (yield* Effect.fromResult(toEndpoint(note)))
})

/** Removes an endpoint. Messages to it that wait are dropped. */
export const remove = Effect.fn("WebhookEndpoints.remove")(function* (tenant: Tenant, id: string) {
  const notes = yield* Notes.Notes
  const place = { tenant, kind, name: id }
  if ((yield* notes.find(place)) === undefined) return yield* new EndpointUnknown({ endpoint: id })
  yield* notes.remove(place)
})

/** Notes that an endpoint has failed or wants no more. One that was removed meanwhile stays removed. */
export const changed = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string,
  change: Pick<Endpoint, "failed" | "gone">
) {
  const notes = yield* Notes.Notes
  const note = yield* notes.find({ tenant, kind, name: id })
  if (note === undefined) return
  const standing = yield* Effect.fromResult(decode(note))
  yield* notes.put({ ...note, text: encode({ ...standing, ...change }), expected: note.revision })
})

const toEndpoint = (note: Notes.Note): Result.Result<Endpoint, TraceStoreError> =>
  Result.map(decode(note), (kept) => ({ id: note.name, ...kept }))
