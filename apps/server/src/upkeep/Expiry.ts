/** Deletes what is kept for those who come again, once its time is over: answers of writes, and places in feeds. */
import * as FeedCursor from "@backstitch/runtime/FeedCursor"
import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import type * as Notes from "@backstitch/trace/Notes"
import type * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Limits from "../Limits.ts"

const { cursorExpiryMillis, cursorKeptMillis, expiryMillis } = Limits.pacing

/** Deletes from time to time. A store that does not answer is asked again. */
const every = <E, R>(millis: number, deletes: Effect.Effect<unknown, E, R>) =>
  Effect.ignore(deletes).pipe(Effect.repeat(Schedule.spaced(Duration.millis(millis))), Effect.forkScoped)

const cursors = Effect.flatMap(Clock.currentTimeMillis, (now) => FeedCursor.expire(now - cursorKeptMillis))

/** Layer that deletes while it is open. */
export const layer: Layer.Layer<never, never, Notes.Notes | WriteAnswers.WriteAnswers> = Layer.effectDiscard(
  Effect.andThen(every(expiryMillis, RepeatedWrites.expire()), every(cursorExpiryMillis, cursors))
)
