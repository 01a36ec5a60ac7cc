/**
 * Bounds how many runs of a process are worked on at once, and lets a run that pauses give its place to another.
 *
 * A pause is part of the work on a run, such as the minutes until a system of record is asked again. It ends at once
 * when the run is given up: everything known is durable by then.
 */
import * as Pause from "@backstitch/runtime/Pause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"

/** Does the work on a run in a slot. `leaving` ends its pauses, and interrupts the work there. */
export const within =
  (slots: Semaphore.Semaphore, leaving: Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let isHeld = false
      const take = Effect.uninterruptibleMask((restore) =>
        Effect.map(restore(slots.take(1)), () => {
          isHeld = true
        })
      )
      const release = Effect.suspend(() => {
        if (!isHeld) return Effect.void
        isHeld = false
        return Effect.asVoid(slots.release(1))
      })
      const pause = (millis: number) =>
        millis === 0
          ? Effect.void
          : Effect.gen(function* () {
              yield* release
              const isLeft = yield* Effect.race(
                Effect.as(Effect.sleep(Duration.millis(millis)), false),
                Effect.as(leaving, true)
              )
              yield* isLeft ? Effect.interrupt : take
            })
      const paused = Effect.provideService(work, Pause.Pause, pause)
      return Effect.ensuring(Effect.andThen(take, paused), release)
    })
