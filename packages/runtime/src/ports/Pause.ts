/**
 * The way in which a run waits until something is due, such as the next question about an action under way.
 *
 * By default its fiber sleeps. A host of many runs provides another way: it lets other runs work meanwhile, and stops
 * the wait when it gives its runs up. Everything known is durable before a run waits, so a wait may be interrupted.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The effect that waits for a number of milliseconds. */
export const Pause = Context.Reference<(millis: number) => Effect.Effect<void>>("@backstitch/runtime/Pause", {
  defaultValue: () => (millis) => Effect.sleep(Duration.millis(millis))
})

/** Waits for a number of milliseconds. */
export const millis = (millis: number): Effect.Effect<void> => Pause.use((wait) => wait(millis))
