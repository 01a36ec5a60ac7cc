/** Questions about a run: where it went wrong, and where it differs from another. */
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as Diffing from "@backstitch/runtime/Diffing"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as Views from "../run/Views.ts"
import type { JsonObject } from "../values/Json.ts"

/** Finds the first tick at which a condition holds: a predicate by its id, an expression, or a built-in question. */
export const bisect = (run: Run, predicate: string | undefined) =>
  Effect.map(
    Bisecting.bisect(run, predicate === undefined ? ({ _tag: "Anomaly" } as const) : { predicate }),
    ({ causalChain, evaluations, length, onset, transition }): Views.Onset => ({
      run: run.id,
      onset,
      length,
      evaluations,
      transition: transition as JsonObject | null,
      causes: causalChain.map(({ effect, tick }) => ({ tick, effect }))
    })
  )

/** Compares a run with another from where they parted. */
export const diff = (run: Run, other: Run) =>
  Effect.map(
    Diffing.diff(run, other),
    ({ counts, differences, left, right, shared }): Views.Comparison => ({
      left,
      right,
      shared,
      counts,
      differences: differences as ReadonlyArray<object> as ReadonlyArray<JsonObject>
    })
  )
