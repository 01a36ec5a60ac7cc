/**
 * Measures how well bisect finds the step at which a run went wrong, over each registered predicate of each run.
 *
 * An onset is *correct* if the predicate does not hold in the state before it and holds in the state after it. Both
 * are found by evaluating the predicate itself and not its latch. A chain is *complete* if it contains the request
 * whose answer caused the onset, so that a reader is led from the violation to the author of the request. An onset in
 * a run in which a scan finds none is a false positive.
 *
 * @source Dendrer, section 4.8
 */

import type { TaskPack } from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type { Run } from "@backstitch/trace/Run"
import * as Scan from "@backstitch/version-control/Scan"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"

/** The counts. `questions` are pairs of a run and a predicate. */
export interface Identification {
  readonly questions: number
  readonly onsets: number
  /** Onsets at which the predicate begins to hold. */
  readonly onsetsCorrect: number
  /** Onsets whose chain contains the request. */
  readonly chainsComplete: number
  readonly unviolated: number
  readonly falsePositives: number
}

/** Searches every run for the onset of every registered predicate. */
export const of = Effect.fn("Identification.of")(function* (pack: TaskPack, runs: ReadonlyArray<Run>) {
  const library = yield* PackLibrary.PackLibrary
  const history = yield* History.History
  const fold = library.fold(Kernel.standard)
  const { predicates } = PackRules.of(pack)
  const found = { questions: 0, onsets: 0, onsetsCorrect: 0, chainsComplete: 0, unviolated: 0, falsePositives: 0 }
  for (const run of runs) {
    const transitions = yield* history.transitions(run)
    // Each search folds from the beginning and reads the head. Both are cached, as a store would cache them.
    const begun = transitions.find(({ stamp }) => stamp.state !== undefined)?.tick ?? 1
    for (const tick of [begun, transitions.length]) yield* history.snapshot(run, yield* history.at(run, tick))
    const steps = yield* library.folding(() => [...Step.walk(fold, State.empty, transitions)])
    for (const predicate of predicates) {
      found.questions++
      // The scan evaluates the predicate itself on each state and the one before it.
      const scanned = yield* library.folding(() => Scan.run(predicate, steps).onset)
      const { causalChain, onset } = yield* Bisecting.bisect(run, { _tag: "Predicate", id: predicate.id })
      if (scanned === undefined) found.unviolated++
      if (onset === null) continue
      if (scanned === undefined) {
        found.falsePositives++
        continue
      }
      found.onsets++
      if (onset === scanned) found.onsetsCorrect++
      const action = transitions[onset - 1]?.body.action?.id
      const asked = transitions.find(({ body }) => body.type === "action.request" && body.action?.id === action)
      if (asked !== undefined && causalChain.some(({ tick }) => tick === asked.tick)) found.chainsComplete++
    }
  }
  return found satisfies Identification
})
