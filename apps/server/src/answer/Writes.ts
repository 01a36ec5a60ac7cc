/**
 * Carries out the writes of callers: at the tick for which a write was made, and once for each name of a request.
 *
 * A repeated request is answered with the bytes of the first answer. Its name is bound to the caller, the place and
 * the content, so that nobody is answered with what was done for somebody else.
 */
import type * as Access from "@backstitch/api/Access"
import type * as Problem from "@backstitch/api/Problem"
import * as WriteHeaders from "@backstitch/api/WriteHeaders"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as ExpectedTick from "@backstitch/runtime/ExpectedTick"
import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import * as SecretAnswers from "@backstitch/runtime/SecretAnswers"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import type * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secrets from "../store/Secrets.ts"
import { answer } from "./Answering.ts"

/** A write as it arrived. */
export interface WriteRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params?: { readonly run?: Run["id"]; readonly [part: string]: unknown }
  readonly headers: { readonly "idempotency-key"?: string; readonly "if-match"?: string }
  readonly payload?: unknown
}

/** The key or token of the caller, as it was sent. */
export const CallerText = Context.Reference<Redacted.Redacted<string>>("@backstitch/server/CallerText", {
  defaultValue: () => Redacted.make("")
})

/** Carries out a write, whose answer has the given schema, and the status 200 unless another is given. */
export const write = <A, E extends Problem.ListedError, R>(
  arrived: WriteRequest,
  schema: Schema.Codec<A, unknown>,
  call: (caller: Access.CallerFacts) => Effect.Effect<A, E, R>,
  status = 200
) =>
  answer(
    Effect.fnUntraced(function* (caller) {
      const content = yield* contentOf(arrived)
      const act = expecting(arrived, caller, call(caller))
      return sent(yield* once(arrived, { caller, content, act: answering(act, schema, status) }))
    })
  )

/** Carries out a write whose answer, with the status 201, shows a secret. Once it is kept, only the caller opens it. */
export const writeSecret = <A, E extends Problem.ListedError, R>(
  arrived: WriteRequest,
  schema: Schema.Codec<A, unknown>,
  call: (caller: Access.CallerFacts) => Effect.Effect<A, E, R>
) => writeSettled(arrived, schema, { call, settle: () => Effect.void })

/**
 * Carries out a write like {@link writeSecret}, and then has `settle` bring into force what the answer tells of. A
 * repeated answer is settled again, since the process that gave the first one may have ended before it settled. So
 * `settle` does nothing where that was done.
 */
export const writeSettled = <A, E extends Problem.ListedError, R, E2 extends Problem.ListedError, R2>(
  arrived: WriteRequest,
  schema: Schema.Codec<A, unknown>,
  act: {
    readonly call: (caller: Access.CallerFacts) => Effect.Effect<A, E, R>
    readonly settle: (caller: Access.CallerFacts, document: A) => Effect.Effect<void, E2, R2>
  }
) =>
  answer(
    Effect.fnUntraced(function* (caller) {
      const content = yield* contentOf(arrived)
      const credential = yield* credentialOf(caller)
      const made = answering(act.call(caller), schema, 201)
      const kept = yield* once(arrived, { caller, content, credential, act: made })
      yield* act.settle(caller, Schema.decodeUnknownSync(Schema.toCodecJson(schema))(JSON.parse(kept.body)))
      return sent(kept)
    })
  )

/**
 * The credential under which answers to a caller are sealed: the key. For a token, which is renewed, it is derived from
 * the subject and the secret of the server; a server without a secret takes the token itself.
 */
const credentialOf = Effect.fnUntraced(function* ({ key, tenant }: Access.CallerFacts) {
  const sent = yield* CallerText
  if (CallerKeys.isText(Redacted.value(sent))) return sent
  const secret = yield* Effect.option((yield* Secrets.TenantSecrets)(tenant))
  return Option.match(secret, { onNone: () => sent, onSome: (text) => Redacted.make(JSON.stringify([text, key])) })
})

/** Carries out a write whose body, already read, has the given content. */
export const writeRead = <A, E, R>(
  arrived: WriteRequest,
  read: {
    readonly call: Effect.Effect<A, E, R>
    readonly caller: Access.CallerFacts
    readonly content: string
  },
  schema: Schema.Codec<A, unknown>
) => Effect.map(once(arrived, { ...read, act: answering(read.call, schema, 200) }), sent)

const answering = <A, E, R>(call: Effect.Effect<A, E, R>, schema: Schema.Codec<A, unknown>, status: number) =>
  Effect.map(call, (document): WriteAnswers.WriteAnswer => ({ status, body: bodyOf(schema, document) }))

/** Carries out a request, once for its name if it has one. */
const once = Effect.fnUntraced(function* <E, R>(
  arrived: WriteRequest,
  write: {
    readonly act: Effect.Effect<WriteAnswers.WriteAnswer, E, R>
    readonly caller: Access.CallerFacts
    readonly content: string
    readonly credential?: Redacted.Redacted<string> | undefined
  }
) {
  const { act, caller, content, credential } = write
  const name = arrived.headers["idempotency-key"]
  if (name === undefined) return yield* act
  const request = { tenant: caller.tenant, name, digest: digestOf(arrived, caller, content) }
  const answered =
    credential === undefined
      ? RepeatedWrites.once(request, () => true, act)
      : SecretAnswers.once(request, credential, act)
  return yield* answered
})

/** A write that was made for a tick of its run commits at that tick, or not at all. */
const expecting = <A, E, R>(
  { headers, params }: WriteRequest,
  { tenant }: Access.CallerFacts,
  act: Effect.Effect<A, E, R>
) => {
  const etag = headers["if-match"]
  return etag === undefined || params?.run === undefined
    ? act
    : ExpectedTick.at({ tenant, id: params.run }, WriteHeaders.tickOf(etag), act)
}

/** The run on which a write of a person acts: never one that was imported as evidence. */
export const target = Effect.fnUntraced(function* (
  { tenant }: Access.CallerFacts,
  { params }: { readonly params: { readonly run: Run["id"] } }
) {
  const run: Run = { tenant, id: params.run }
  yield* EvidenceRun.refuse(run)
  return run
})

/**
 * Names the command of a write that a run remembers, so that it is carried out once even if its answer was lost with
 * its process; `undefined` without an `Idempotency-Key`. The content has its one form, as that of the write has.
 */
export const commandOf = (arrived: WriteRequest, caller: Access.CallerFacts): string | undefined => {
  const name = arrived.headers["idempotency-key"]
  if (name === undefined) return undefined
  return `request ${digestOf(arrived, caller, Canonical.encode([name, arrived.payload as Canonical.Json]))}`
}

const bodyOf = <A>(schema: Schema.Codec<A, unknown>, document: A): string =>
  JSON.stringify(Schema.encodeSync(Schema.toCodecJson(schema))(document))

/** The content of a write in its one form. What no trace can carry is refused before anything is done. */
const contentOf = ({ payload = null }: WriteRequest) =>
  Effect.try({
    try: () => Canonical.encode(payload as Canonical.Json),
    catch: (cause) => {
      if (Branded.isError(cause, Canonical.NotCanonical)) return cause
      throw cause
    }
  })

/**
 * Binds the name of a request to the caller, the place and the content. Kept answers and commands in traces have it, so
 * its bytes stay as they are. Only the first part can have a line break, so no two requests have one text.
 */
const digestOf = ({ headers, request }: WriteRequest, { key }: Access.CallerFacts, content: string): string =>
  Digest.ofBytes([key, request.method, request.url, headers["if-match"] ?? "", content].join("\n"))

const sent = ({ body, status }: WriteAnswers.WriteAnswer) =>
  HttpServerResponse.text(body, { status, contentType: "application/json" })
