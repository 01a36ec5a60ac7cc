/**
 * Carries a write out once, however often its request arrives.
 *
 * A sender that saw no answer repeats its request under the same name, and is answered as it would have been the first
 * time. Another request under that name is refused. A name whose request was begun and not answered is held for a
 * time, after which the request is carried out again, because the process that began it has gone. No write has a second
 * effect if it is carried out again. An answer is kept for {@link KeepMillis}, by default a day. After that its name is
 * free, and {@link expire} deletes the answer.
 *
 * @see {@link WriteAnswers} for the answers as a store keeps them
 * @source docs/decisions/0066
 */
import { type Named, type WriteAnswer, WriteAnswers } from "@backstitch/trace/WriteAnswers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

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

/** The time for which an answer is kept. */
export const KeepMillis = Context.Reference<number>("@backstitch/runtime/RepeatedWrites/KeepMillis", {
  defaultValue: () => Limits.pacing.answerKeptMillis
})

/**
 * Carries a request out, unless it was before, and answers as then. `isKept` says which answers are kept: after any
 * other, and after a failure, the name is free again.
 */
export const once = Effect.fn("RepeatedWrites.once")(function* <E, R>(
  request: Named,
  isKept: (answer: WriteAnswer) => boolean,
  act: Effect.Effect<WriteAnswer, E, R>
) {
  const answers = yield* WriteAnswers
  const now = yield* Clock.currentTimeMillis
  const known = yield* answers.begin(request, { now, until: now + Limits.pacing.writeHeldMillis })
  if (known !== undefined) {
    if (known.digest !== request.digest) return yield* new IdempotencyDiffers({ request: request.name })
    return known.answer ?? (yield* new IdempotencyUnderway({ request: request.name }))
  }
  const keep = Effect.fnUntraced(function* (answer: WriteAnswer) {
    yield* answers.finish(request, answer, (yield* Clock.currentTimeMillis) + (yield* KeepMillis))
  })
  return yield* Effect.onExit(act, (exit) =>
    Effect.orDie(Exit.isSuccess(exit) && isKept(exit.value) ? keep(exit.value) : answers.forget(request))
  )
})

/** Deletes every answer whose time is over, a portion at a time, so that no other statement waits long. */
export const expire = Effect.fn("RepeatedWrites.expire")(function* () {
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
