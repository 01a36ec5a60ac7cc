/**
 * Sends news of runs to the endpoints of their tenant: each at least once, whichever process crashes.
 *
 * News that stand in a state and were not told are written to the outbox, one message for each endpoint that wants
 * them. Only then is it noted that they were told, so after a crash in between a message may be written or sent again,
 * under the same id. A message stays until its endpoint has taken it, or until it is given up.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Notes from "@backstitch/trace/Notes"
import type * as Run from "@backstitch/trace/Run"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import * as HostMetrics from "../metrics/HostMetrics.ts"
import type * as EndpointAddress from "./EndpointAddress.ts"
import * as RunNews from "./RunNews.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"
import * as WebhookMessage from "./WebhookMessage.ts"
import * as WebhookRetries from "./WebhookRetries.ts"
import * as WebhookSender from "./WebhookSender.ts"

const Message = Schema.fromJsonString(
  Schema.Struct({
    endpoint: Schema.String,
    id: Schema.String,
    body: Schema.String,
    attempts: Schema.Natural,
    dueAt: Schema.Number,
    /** The reason why the last attempt failed. */
    why: Schema.optionalKey(Schema.String)
  })
)
const decode = Schema.decodeUnknownSync(Message)
const encode = Schema.encodeSync(Message)

const Told = Schema.fromJsonString(Schema.Array(Schema.String))
const decodeTold = Schema.decodeUnknownSync(Told)
const encodeTold = Schema.encodeSync(Told)

/** The kind of the notes of messages that no endpoint has taken yet. */
export const kind = "webhook.message"

const cursors = "webhook.told"

/**
 * Tells the news of a run: those that stand now, which are found if the tenant has an endpoint. News that no longer
 * stand are forgotten, so that the note of what was told stays as short as the list of what waits. With `isLast`,
 * nothing more is to be told of the run.
 */
export const tell = Effect.fn("WebhookOutbox.tell")(function* <E, R>(
  run: Run.Run,
  finding: Effect.Effect<ReadonlyArray<RunNews.RunNews>, E, R>,
  { isLast = false }: { readonly isLast?: boolean } = {}
): Effect.fn.Return<void, E | TraceStoreError, Notes.Notes | R> {
  const { tenant } = run
  const endpoints = (yield* WebhookEndpoints.list(tenant)).filter(({ gone }) => gone !== true)
  if (endpoints.length === 0) return
  const news = yield* finding
  const notes = yield* Notes.Notes
  const place = { tenant, kind: cursors, name: run.id }
  const note = yield* notes.find(place)
  const told = new Set(note === undefined ? [] : decodeTold(note.text))
  const now = yield* Clock.currentTimeMillis
  for (const { card, data, id, type } of RunNews.fresh(news, told)) {
    for (const endpoint of endpoints.filter(({ types }) => types.includes(type))) {
      const shown = card === undefined ? {} : { card: endpoint.shows === true ? card : ApprovalCard.withheld(card) }
      const body = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data: { ...data, ...shown } })
      const text = encode({ endpoint: endpoint.id, id, body, attempts: 0, dueAt: now })
      yield* notes.put({ tenant, kind, name: `${endpoint.id}.${id}`, text, expected: 0 })
    }
  }
  const standing = news.map(({ id }) => id)
  if (isLast) yield* notes.remove(place)
  else if (standing.length !== told.size || standing.some((id) => !told.has(id))) {
    yield* notes.put({ ...place, text: encodeTold(standing) })
  }
})

/** Settings of the sending: the secret of a tenant, and the addresses that are permitted. */
export interface Settings extends EndpointAddress.Options {
  readonly tenantSecretOf: (tenant: Run.Tenant) => Effect.Effect<string, unknown>
}

/** Does the work on the messages of a tenant with the notes of that tenant. */
type Within = (
  tenant: Run.Tenant
) => <A>(work: Effect.Effect<A, TraceStoreError, Notes.Notes>) => Effect.Effect<A, TraceStoreError, Notes.Notes>

/**
 * Sends the messages that are due, to several endpoints at the same time. One that does not take a message is sent no
 * other in this sweep, so that it keeps nobody waiting for longer than one answer. Answers how many were sent. The
 * messages that are due are found in the notes of all tenants; the rest is done in the store of each, by `within`.
 */
export const sweep = Effect.fn("WebhookOutbox.sweep")(function* (
  settings: Settings,
  within: Within = () => (work) => work
) {
  const now = yield* Clock.currentTimeMillis
  const due = new Map<string, Array<Notes.Note>>()
  const notes = yield* waiting
  yield* HostMetrics.waiting(notes.length)
  for (const note of notes) {
    const { dueAt, endpoint } = decode(note.text)
    if (dueAt <= now) due.set(endpoint, [...(due.get(endpoint) ?? []), note])
  }
  const counts = yield* Effect.forEach(
    due.values(),
    Effect.fnUntraced(function* (notes) {
      let sent = 0
      for (const note of notes) {
        sent++
        if (!(yield* within(note.tenant)(attempt(note, settings)))) break
      }
      return sent
    }),
    { concurrency: Limits.pacing.webhooksAtOnceMax }
  )
  return counts.reduce((sum, count) => sum + count, 0)
})

/** The messages that no endpoint has taken yet. */
const waiting = Effect.gen(function* () {
  const notes = yield* Notes.Notes
  const found: Array<Notes.Note> = []
  while (true) {
    const page: ReadonlyArray<Notes.Note> = yield* notes.list({
      kind,
      after: found.at(-1),
      limit: Limits.pacing.notePageMax
    })
    found.push(...page)
    if (page.length < Limits.pacing.notePageMax) return found
  }
})

/** Sends messages as they become due, for ever. A store that does not answer is asked again. */
export const delivering = (settings: Settings, within?: Within): Effect.Effect<never, never, Notes.Notes> =>
  Effect.ignore(sweep(settings, within)).pipe(
    Effect.repeat(Schedule.spaced(Duration.millis(Limits.pacing.webhookLookMillis))),
    Effect.andThen(Effect.never)
  )

/** The messages that an endpoint has not taken yet: how many, and how the next of them stands. */
export interface Undelivered {
  readonly messages: number
  /** Attempts of the message that is tried next. */
  readonly attempts: number
  readonly dueAt: number
  /** The reason why the last attempt failed; absent if none was made. */
  readonly why?: string | undefined
}

/** Finds what the endpoints of a tenant have not taken yet, by endpoint. */
export const undelivered = Effect.fn("WebhookOutbox.undelivered")(function* (tenant: Run.Tenant) {
  const notes = yield* Notes.Notes
  const found = new Map<string, Undelivered>()
  for (const { text } of yield* notes.list({ kind, tenant })) {
    const { attempts, dueAt, endpoint, why } = decode(text)
    const known = found.get(endpoint)
    const next = known === undefined || dueAt < known.dueAt ? { attempts, dueAt, why } : known
    found.set(endpoint, { ...next, messages: (known?.messages ?? 0) + 1 })
  }
  return found
})

/** Sends a message of the type `webhook.test` to an endpoint, once, and answers what came of it. */
export const test = Effect.fn("WebhookOutbox.test")(function* (tenant: Run.Tenant, id: string, settings: Settings) {
  const endpoint = yield* WebhookEndpoints.find(tenant, id)
  if (endpoint === undefined) return yield* new WebhookEndpoints.EndpointUnknown({ endpoint: id })
  const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
  const body = JSON.stringify({ type: "webhook.test", timestamp, data: { endpoint: id } })
  return yield* send(
    { tenant, endpoint },
    { id: `msg_${Digest.ofBytes(`${id}\n${timestamp}`).slice(0, 32)}`, body },
    settings
  )
})

/** Signs a message for an endpoint, and sends it once. */
const send = Effect.fnUntraced(function* (
  { endpoint, tenant }: { readonly tenant: Run.Tenant; readonly endpoint: WebhookEndpoints.Endpoint },
  message: { readonly id: string; readonly body: string },
  settings: Settings
): Effect.fn.Return<WebhookSender.Attempt> {
  const now = yield* Clock.currentTimeMillis
  const tenantSecret = yield* Effect.option(settings.tenantSecretOf(tenant))
  if (tenantSecret._tag === "None" || tenantSecret.value === "") {
    return { _tag: "Refused", why: "the secret of the tenant is not at hand" }
  }
  const headers = WebhookMessage.headers(WebhookMessage.secretOf(tenantSecret.value, endpoint.id), { ...message, now })
  return yield* WebhookSender.send({ url: endpoint.url, headers, body: message.body }, settings)
})

/** Attempts a message; answers whether the endpoint may be sent another. One that wants no more is sent none. */
const attempt = Effect.fnUntraced(function* (note: Notes.Note, settings: Settings) {
  const notes = yield* Notes.Notes
  const { tenant, text } = note
  const { attempts, body, endpoint: name, id } = decode(text)
  const endpoint = yield* WebhookEndpoints.find(tenant, name)
  if (endpoint === undefined || endpoint.gone === true) return yield* notes.remove(note)
  const now = yield* Clock.currentTimeMillis
  const sent = yield* send({ tenant, endpoint }, { id, body }, settings)
  yield* HostMetrics.attempted(sent._tag.toLowerCase())
  if (sent._tag === "Taken") return yield* notes.remove(note)
  if (sent._tag === "Gone") {
    yield* WebhookEndpoints.changed(tenant, name, { gone: true })
    return yield* notes.remove(note)
  }
  const failed = attempts + 1
  const dueAt = WebhookRetries.next(failed, now)
  if (dueAt === undefined) {
    yield* WebhookEndpoints.changed(tenant, name, { failed: { at: now, why: sent.why } })
    yield* notes.remove(note)
    return false
  }
  // Another process may have sent it meanwhile: its note counts.
  const next = encode({ ...decode(text), attempts: failed, dueAt, why: sent.why })
  yield* notes.put({ ...note, text: next, expected: note.revision })
  return false
})
