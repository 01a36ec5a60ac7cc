/** Deletes the answers of writes that no repeated request is answered with any more. */
import * as WriteAnswers from "@backstitch/runtime/WriteAnswers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Limits from "../Limits.ts"

/** Layer that looks for such answers from time to time. A store that does not answer is asked again. */
export const layer: Layer.Layer<never, never, WriteAnswers.WriteAnswers> = Layer.effectDiscard(
  Effect.ignore(WriteAnswers.expire()).pipe(
    Effect.repeat(Schedule.spaced(Duration.millis(Limits.pacing.answerExpiryMillis))),
    Effect.forkScoped
  )
)
