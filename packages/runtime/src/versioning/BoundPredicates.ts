/**
 * The predicates that bind a run, with those that are built in, and the predicate that somebody adds to them.
 *
 * @source Dendrer, section 4.4
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import type * as Run from "@backstitch/trace/Run"
import * as BuiltIn from "@backstitch/version-control/BuiltIn"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as PackExtending from "./PackExtending.ts"
import * as Predicates from "./Predicates.ts"

/** The predicates that are in force in a run, and those that every run has. */
export interface BoundPredicates {
  readonly run: string
  readonly predicates: ReadonlyArray<Predicates.Binding>
  readonly builtIn: ReadonlyArray<{ readonly id: string; readonly meaning: string }>
}

/** Lists the predicates of a run. */
export const of = Effect.fn("BoundPredicates.of")(function* (run: Run.Run) {
  const bound: BoundPredicates = {
    run: run.id,
    predicates: yield* Predicates.list(run),
    builtIn: BuiltIn.all.map(({ id }) => ({ id, meaning: Wording.builtIn(id) }))
  }
  return bound
})

/** A predicate that was tried and accepted. */
export interface Tried extends Predicates.Trial {
  readonly accepted: boolean
}

/** A predicate that was tried, and what its addition to the pack of a run came to. */
export interface Added extends Tried {
  readonly into: string
  readonly outcome: Outcome
}

/** Tries a predicate on samples. Nothing is committed. */
export const attempt = Effect.fn("BoundPredicates.attempt")(function* (
  violation: Predicates.Violation,
  options: { readonly samples: ReadonlyArray<Run.Run>; readonly pack?: TaskPack.TaskPack | undefined }
) {
  const tried: Tried = { accepted: true, ...(yield* Predicates.register(violation, options)) }
  return tried
})

/** Tries a predicate on samples, or without any on the run itself, and adds it to the pack of the run. */
export const add = Effect.fn("BoundPredicates.add")(function* (
  run: Run.Run,
  violation: Predicates.Violation,
  options: {
    readonly samples: ReadonlyArray<Run.Run>
    readonly pack?: TaskPack.TaskPack | undefined
    readonly approvedBy: string
  }
) {
  const { approvedBy, pack, samples } = options
  const trial = yield* Predicates.register(violation, { samples: samples.length === 0 ? [run] : samples, pack })
  const adds = { adds_violations: [JsonText.carried(trial.violation) as JsonObject] }
  const outcome = yield* PackExtending.extend(run, adds, approvedBy)
  const added: Added = { accepted: outcome._tag === "Done", ...trial, into: run.id, outcome }
  return added
}, Effect.scoped)
