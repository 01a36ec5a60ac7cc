/** Folds the events of an open run as far as it is decided, with what other processes have committed. */
import * as Event from "@backstitch/topology/Event"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type * as RunHandle from "../run/RunHandle.ts"

/** A fold over events. `init` makes a fresh value, which `step` may change. */
export interface Fold<S> {
  readonly init: () => S
  readonly step: (self: S, event: Event.Event, transition: Transition) => S
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
      for (const event of Event.of(transition)) self = fold.step(self, event, transition)
    }
    return self
  })
}
