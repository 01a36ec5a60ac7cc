/**
 * Follows a run while it is written, and prints or keeps each committed transition.
 *
 * @since 0.1.0
 */
import * as History from "@backstitch/runtime/History"
import * as Steps from "@backstitch/runtime/Steps"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"

/**
 * A narrator.
 *
 * @category models
 * @since 0.1.0
 */
export interface Narrator {
  /** Tells of everything that the store holds by now and that was not told yet. */
  readonly catchUp: Effect.Effect<void, History.HistoryError>
}

/**
 * Begins after a tick, at which the run stood before.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (run: Run, after: number, visit: (step: Step) => void) {
  const history = yield* History.History
  let at = yield* history.at(run, after)
  const narrator: Narrator = {
    catchUp: Effect.gen(function* () {
      const { head } = yield* history.info(run)
      at = yield* history.walk(run, {
        from: at,
        to: head.tick,
        visit: (state, transition, before) => {
          visit(Steps.of(before, transition, state))
          return undefined
        }
      })
    })
  }
  return narrator
})
