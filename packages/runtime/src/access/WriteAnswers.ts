/**
 * The answers of writes that arrived over a network, by the name that the sender gave to the request.
 *
 * `WriteAnswers` is a port: a package of a database provides a layer. A sender that saw no answer repeats its request
 * under the same name, and is answered as it would have been the first time. A name belongs to one request of one
 * tenant: another request under it is refused. A name whose request was begun and not answered is held for a time,
 * after which the request is carried out again, because the process that began it has gone. Every write is made so
 * that this does nothing twice. An answer is kept for a day, unless {@link KeepMillis} says otherwise; then its name is
 * free, and {@link expire} deletes it.
 *
 * @source docs/decisions/0066
 */
import type { Tenant } from "@backstitch/trace/Run"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** A request by its name, and the digest of all that it asks for. */
export interface Named {
  readonly tenant: Tenant
  readonly name: string
  readonly digest: string
}

/** An answer, as it was sent. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** A request that was begun: by which digest, until when its name is taken, and its answer once there is one. */
export interface Begun {
  readonly digest: string
  readonly until: number
  readonly answer: Answer | null
}

/** Error for a name under which another request was made. */
export class IdempotencyDiffers extends Schema.TaggedError<IdempotencyDiffers>(
  "@backstitch/runtime/IdempotencyDiffers"
)("IdempotencyDiffers", { request: Schema.String }) {
  override get message(): string {
    return `Under the name "${this.request}" another request was made. Give each request a name of its own`
  }
}

/** Error for a request that is still carried out. */
export class IdempotencyUnderway extends Schema.TaggedError<IdempotencyUnderway>(
  "@backstitch/runtime/IdempotencyUnderway"
)("IdempotencyUnderway", { request: Schema.String }) {
  override get message(): string {
    return `The request "${this.request}" is being carried out. Repeat it after a moment to learn its answer`
  }
}

/** Service that keeps answers. */
export class WriteAnswers extends Context.Service<
  WriteAnswers,
  {
    /**
     * Begins a request, if its name is free or was no longer taken at `now`, and holds the name until `until`; else
     * answers what holds it.
     */
    readonly begin: (
      request: Named,
      time: { readonly now: number; readonly until: number }
    ) => Effect.Effect<Begun | undefined, TraceStoreError>
    /** Keeps the answer of a request that was begun, until `until`. */
    readonly finish: (request: Named, answer: Answer, until: number) => Effect.Effect<void, TraceStoreError>
    /** Frees the name of a request that was begun and came to nothing. */
    readonly forget: (request: Named) => Effect.Effect<void, TraceStoreError>
    /** Deletes at most `limit` names that were no longer taken at `now`, of any tenant. Answers how many it deleted. */
    readonly expire: (now: number, limit: number) => Effect.Effect<number, TraceStoreError>
  }
>()("@backstitch/runtime/WriteAnswers") {}

/** The time for which an answer is kept. */
export const KeepMillis = Context.Reference<number>("@backstitch/runtime/WriteAnswers/KeepMillis", {
  defaultValue: () => Limits.pacing.answerKeptMillis
})

/**
 * Carries a request out, unless it was before, and answers as then. `isKept` says which answers are kept: after any
 * other, and after a failure, the name is free again.
 */
export const once = Effect.fn("WriteAnswers.once")(function* <E, R>(
  request: Named,
  isKept: (answer: Answer) => boolean,
  act: Effect.Effect<Answer, E, R>
) {
  const answers = yield* WriteAnswers
  const now = yield* Clock.currentTimeMillis
  const known = yield* answers.begin(request, { now, until: now + Limits.pacing.writeHeldMillis })
  if (known !== undefined) {
    if (known.digest !== request.digest) return yield* new IdempotencyDiffers({ request: request.name })
    return known.answer ?? (yield* new IdempotencyUnderway({ request: request.name }))
  }
  const keep = Effect.fnUntraced(function* (answer: Answer) {
    yield* answers.finish(request, answer, (yield* Clock.currentTimeMillis) + (yield* KeepMillis))
  })
  return yield* Effect.onExit(act, (exit) =>
    Effect.orDie(Exit.isSuccess(exit) && isKept(exit.value) ? keep(exit.value) : answers.forget(request))
  )
})

/** Deletes every answer whose time is over, a portion at a time, so that no other statement waits long. */
export const expire = Effect.fn("WriteAnswers.expire")(function* () {
  const { expire } = yield* WriteAnswers
  const { expiredAnswersMax } = Limits.pacing
  const now = yield* Clock.currentTimeMillis
  let expired = 0
  while (true) {
    const portion = yield* expire(now, expiredAnswersMax)
    expired += portion
    if (portion < expiredAnswersMax) return expired
    yield* Effect.yieldNow
  }
})

/** Decides a request from what holds its name. This is the specification for every layer. */
export const isFree = (known: Begun | undefined, now: number): boolean => known === undefined || known.until <= now

/** Layer that keeps answers within the current process. */
export const layerMemory: Layer.Layer<WriteAnswers> = Layer.sync(WriteAnswers, () => {
  const kept = new Map<string, Begun>()
  const keyOf = ({ name, tenant }: Named): string => `${tenant}/${name}`
  return WriteAnswers.of({
    begin: (request, { now, until }) =>
      Effect.sync(() => {
        const known = kept.get(keyOf(request))
        if (!isFree(known, now)) return known
        kept.set(keyOf(request), { digest: request.digest, until, answer: null })
        return undefined
      }),
    finish: (request, answer, until) =>
      Effect.sync(() => {
        if (isOpen(kept.get(keyOf(request)), request))
          kept.set(keyOf(request), { digest: request.digest, until, answer })
      }),
    forget: (request) =>
      Effect.sync(() => {
        if (isOpen(kept.get(keyOf(request)), request)) kept.delete(keyOf(request))
      }),
    expire: (now, limit) =>
      Effect.sync(() => {
        const over = [...kept].filter(([, known]) => isFree(known, now)).slice(0, limit)
        for (const [key] of over) kept.delete(key)
        return over.length
      })
  })
})

const isOpen = (known: Begun | undefined, { digest }: Named): boolean =>
  known !== undefined && known.answer === null && known.digest === digest
