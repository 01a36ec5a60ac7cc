/**
 * Sends news of runs to the endpoints of their tenant: each at least once, whichever process crashes.
 *
 * News that stand in a state and were not told are written to the outbox, one message for each endpoint that wants
 * them. Only then is it noted that they were told, so after a crash in between a message may be written or sent again,
 * under the same id. A message stays until its endpoint has taken it, or until it is given up.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as Digest from "@backstitch/trace/Digest"
import * as Notes from "@backstitch/trace/Notes"
import type * as Run from "@backstitch/trace/Run"
import { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
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
const decode = Notes.reader(Message)
const encode = Schema.encodeSync(Message)

const Told = Schema.fromJsonString(Schema.Array(Schema.String))
const decodeTold = Notes.reader(Told)
const encodeTold = Schema.encodeSync(Told)

/** The kind of the notes of messages that no endpoint has taken yet. */
export const kind = "webhook.message"

/** The kind of the notes of the news of a run that were told and still stand. */
const toldKind = "webhook.told"

/**
 * Tells the endpoints of a tenant the news of a run that they were not told yet. `finding` finds all news that stand,
 * and is not carried out for a tenant without endpoints. News that no longer stand are forgotten, so the note of what
 * was told stays as short as the list of what waits. With `isLast`, nothing more is to be told of the run. An endpoint
 * that cannot be read is told nothing, which is logged once for each run, with the last that is told of it.
 */
export const tell = Effect.fn("WebhookOutbox.tell")(function* <E, R>(
  run: Run.Run,
  finding: Effect.Effect<ReadonlyArray<RunNews.RunNews>, E, R>,
  { isLast = false }: { readonly isLast?: boolean } = {}
): Effect.fn.Return<void, E | TraceStoreError, Notes.Notes | R> {
  const { tenant } = run
  const endpoints = (yield* WebhookEndpoints.list(tenant, { isAgain: !isLast })).filter(({ gone }) => gone !== true)
  if (endpoints.length === 0) return
  const news = yield* finding
  const notes = yield* Notes.Notes
  const place = { tenant, kind: toldKind, name: run.id }
  const note = yield* notes.find(place)
  // If the note cannot be read, everything is told again.
  const told = new Set(note === undefined ? [] : Result.getOrElse(decodeTold(note), () => []))
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

/** The outcome of a sweep: how many attempts were made, and what kept messages from being attempted. */
export interface Swept {
  readonly attempts: number
  readonly problems: ReadonlyArray<string>
}

/**
 * Sends the messages that are due, to several endpoints at the same time. One that does not take a message, or takes
 * them slowly, is sent no other in this sweep: so it keeps nobody waiting for longer than two answers. Messages are
 * found in the notes of all tenants, and the rest is done in the store of each, by `within`. A message that cannot be
 * read, an endpoint or the store of a tenant keeps those of the others from nothing.
 */
export const sweep = Effect.fn("WebhookOutbox.sweep")(function* (
  settings: Settings,
  within: Within = () => (work) => work
) {
  const now = yield* Clock.currentTimeMillis
  const problems: Array<string> = []
  let waiting = 0
  const attempts = yield* Notes.stream({ kind, limit: Limits.pacing.notePageMax }).pipe(
    Stream.flatMap((note) => {
      waiting++
      const message = decode(note)
      if (Result.isSuccess(message)) return Stream.succeed({ note, message: message.success })
      problems.push(message.failure.message)
      return Stream.empty
    }),
    Stream.filter(({ message }) => message.dueAt <= now),
    // The notes of one endpoint follow each other, since their names begin with its id.
    Stream.groupAdjacentBy(({ message, note }) => `${note.tenant}/${message.endpoint}`),
    Stream.mapEffect(
      ([, due]) =>
        within(due[0].note.tenant)(attemptEach(due, settings)).pipe(
          Effect.catchCause((cause) => Effect.succeed({ attempts: 0, problem: problemOf(cause) })),
          Effect.map(({ attempts, problem }) => {
            if (problem !== undefined && !problems.includes(problem)) problems.push(problem)
            return attempts
          })
        ),
      { concurrency: Limits.pacing.webhooksAtOnceMax, unordered: true }
    ),
    Stream.runFold(
      () => 0,
      (sum, count) => sum + count
    )
  )
  yield* HostMetrics.waiting(waiting)
  const swept: Swept = { attempts, problems }
  return swept
})

/**
 * Sends messages as they become due, for ever. A sweep that fails, such as for a store that does not answer, is made
 * again. A problem is logged when it comes, and not with each sweep in which it stands.
 */
export const delivering = (settings: Settings, within?: Within): Effect.Effect<never, never, Notes.Notes> =>
  Effect.suspend(() => {
    let known: ReadonlyArray<string> = []
    return sweep(settings, within).pipe(
      Effect.catchCause((cause) => Effect.succeed<Swept>({ attempts: 0, problems: [problemOf(cause)] })),
      Effect.flatMap(({ problems }) => {
        const fresh = problems.filter((problem) => !known.includes(problem))
        known = problems
        return Effect.forEach(fresh, (problem) => Effect.logWarning(`A webhook waits: ${problem}`))
      }),
      Effect.repeat(Schedule.spaced(Duration.millis(Limits.pacing.webhookLookMillis))),
      Effect.andThen(Effect.never)
    )
  })

const problemOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (Branded.isError(error, TraceStoreError)) return error.forLogs
  return error instanceof Error ? error.message : String(error)
}

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
  for (const { attempts, dueAt, endpoint, why } of yield* Notes.readable(yield* notes.list({ kind, tenant }), decode)) {
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
  const sent = yield* send(
    { tenant, endpoint },
    { id: `msg_${Digest.ofBytes(`${id}\n${timestamp}`).slice(0, 32)}`, body },
    settings
  )
  const answer: WebhookSender.Attempt = sent._tag === "Unsigned" ? { ...sent, _tag: "Refused" } : sent
  return answer
})

/** A message that was not sent, since it cannot be signed. */
interface Unsigned {
  readonly _tag: "Unsigned"
  readonly why: string
}

/** Signs a message for an endpoint, and sends it once. */
const send = Effect.fnUntraced(function* (
  { endpoint, tenant }: { readonly tenant: Run.Tenant; readonly endpoint: WebhookEndpoints.Endpoint },
  message: { readonly id: string; readonly body: string },
  settings: Settings
): Effect.fn.Return<WebhookSender.Attempt | Unsigned> {
  const now = yield* Clock.currentTimeMillis
  const tenantSecret = yield* Effect.option(settings.tenantSecretOf(tenant))
  if (tenantSecret._tag === "None" || tenantSecret.value === "") {
    return { _tag: "Unsigned", why: `the secret of tenant ${tenant} is not at hand` }
  }
  const headers = WebhookMessage.headers(WebhookMessage.secretOf(tenantSecret.value, endpoint.id), { ...message, now })
  return yield* WebhookSender.send({ url: endpoint.url, headers, body: message.body }, settings)
})

/** A message that is due, with its note. */
interface Due {
  readonly note: Notes.Note
  readonly message: typeof Message.Type
}

/**
 * Attempts the messages of an endpoint until it does not take one, or has taken them for as long as it may take for one
 * answer: the next sweep begins when this one has ended with all endpoints. Answers how many attempts were made, and
 * what kept the others from being attempted.
 */
const attemptEach = Effect.fnUntraced(function* (due: ReadonlyArray<Due>, settings: Settings) {
  const began = yield* Clock.currentTimeMillis
  let attempts = 0
  for (const each of due) {
    if ((yield* Clock.currentTimeMillis) - began >= Limits.pacing.webhookAnswerMillis) break
    const attempted = yield* attempt(each, settings)
    if (attempted?._tag === "Unsigned") return { attempts, problem: attempted.why }
    if (attempted !== undefined) attempts++
    if (attempted?._tag === "Refused") break
  }
  return { attempts, problem: undefined }
})

/**
 * Attempts a message. Answers what came of it; `undefined` if its endpoint wants none, so that it was dropped. A
 * message that cannot be signed stays due, and was not attempted.
 */
const attempt = Effect.fnUntraced(function* ({ message, note }: Due, settings: Settings) {
  const notes = yield* Notes.Notes
  const { tenant } = note
  const { attempts, body, endpoint: name, id } = message
  const endpoint = yield* WebhookEndpoints.find(tenant, name)
  if (endpoint === undefined || endpoint.gone === true) {
    yield* notes.remove(note)
    return undefined
  }
  const now = yield* Clock.currentTimeMillis
  const sent = yield* send({ tenant, endpoint }, { id, body }, settings)
  if (sent._tag === "Unsigned") return sent
  yield* HostMetrics.attempted(sent._tag.toLowerCase())
  if (sent._tag === "Gone") yield* WebhookEndpoints.changed(tenant, name, { gone: true })
  const dueAt = sent._tag === "Refused" ? WebhookRetries.next(attempts + 1, now) : undefined
  if (sent._tag === "Refused" && dueAt === undefined) {
    yield* WebhookEndpoints.changed(tenant, name, { failed: { at: now, why: sent.why } })
  }
  if (sent._tag !== "Refused" || dueAt === undefined) {
    yield* notes.remove(note)
    return sent
  }
  // Another process may have sent it meanwhile: its note counts.
  const text = encode({ ...message, attempts: attempts + 1, dueAt, why: sent.why })
  yield* notes.put({ ...note, text, expected: note.revision })
  return sent
})
