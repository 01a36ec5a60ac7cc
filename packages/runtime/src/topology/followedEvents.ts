/** Folds the events of an open run as far as it is decided, with what other processes have committed. */
import * as TopologyEvent from "@backstitch/topology/TopologyEvent"
import * as Effect from "effect/Effect"
import type * as RunHandle from "../run/RunHandle.ts"

/**
 * A fold over events, and over the ticks at which a person was asked or has written. `init` makes a fresh value, which
 * the others may change.
 */
export interface Fold<S> {
  readonly init: () => S
  readonly step: (self: S, event: TopologyEvent.TopologyEvent) => S
  readonly asked?: ((self: S, tick: number) => S) | undefined
}

/** Makes the effect that answers the folded value as it is now. */
export const make = <S>(handle: RunHandle.RunHandle, fold: Fold<S>): Effect.Effect<S, RunHandle.RunError> => {
  let self = fold.init()
  let seen = 0
  let overtaken = 0
  return Effect.gen(function* () {
    yield* handle.catchUp
    const standing = yield* handle.standing
    if (standing.overtaken !== overtaken) {
      // Transitions that were seen before they were durable may have other ticks now.
      self = fold.init()
      seen = 0
      overtaken = standing.overtaken
    }
    for (const transition of yield* handle.transitions(seen + 1)) {
      if (transition.tick <= seen) continue
      seen = transition.tick
      if (fold.asked !== undefined && TopologyEvent.isTurn(transition.body)) self = fold.asked(self, transition.tick)
      for (const event of TopologyEvent.of(transition)) self = fold.step(self, event)
    }
    return self
  })
}
