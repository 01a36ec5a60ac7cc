/** The comparison of two runs for people and programs: where they part, and the acts that they repeat. */
import type * as Run from "@backstitch/trace/Run"
import type * as Diff from "@backstitch/version-control/Diff"
import * as Effect from "effect/Effect"
import * as Diffing from "../versioning/Diffing.ts"
import * as RepeatedActs from "./RepeatedActs.ts"

/** A comparison, with the acts that the two runs repeat. */
export interface RunComparison extends Diff.Diff {
  readonly repeats: ReadonlyArray<RepeatedActs.RepeatedAct>
}

/** Compares two runs, and lists the acts that they repeat. */
export const of = Effect.fn("RunComparison.of")(function* (
  left: Run.Run,
  right: Run.Run,
  options: Diffing.Options = {}
) {
  const diff = yield* Diffing.diff(left, right, options)
  const compared: RunComparison = { ...diff, repeats: yield* RepeatedActs.among(left, right, options.ends) }
  return compared
})

/** Compares two runs, and commits the comparison to the first. */
export const recorded = Effect.fn("RunComparison.recorded")(function* (
  left: Run.Run,
  right: Run.Run,
  options: Diffing.Options = {}
) {
  const { repeats, ...diff } = yield* of(left, right, options)
  yield* Diffing.record(left, diff)
  const compared: RunComparison = { ...diff, repeats }
  return compared
}, Effect.scoped)
