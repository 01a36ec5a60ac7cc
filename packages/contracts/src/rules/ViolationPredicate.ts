/**
 * Predicates that report when a run has left its contract.
 *
 * A violation never keeps a fact out of the trace. It is noted at the first
 * tick at which it holds, may halt further mutations, and is what bisect looks
 * for. It reads committed state alone, so anybody can derive it again.
 *
 * **Details**
 *
 * `at` names the state that is looked at: the one after the transition, unless
 * the pack says before. `scope` names the tools and transition types at whose
 * ticks it is evaluated; without it, every tick counts. With `each`, it is
 * evaluated for the rows of a table that changed, as `row` and `key`.
 * `monotone` says whether it can never recover by itself (`declared`) or is
 * latched by the kernel (`lift`).
 *
 * @source Dendrer, sections 3.3.2 and 3.3.3
 */

import type * as Expression from "@backstitch/expressions/Expression"
import type * as Result from "effect/Result"
import * as Condition from "../state/Condition.ts"

/** A named condition over committed state. */
export interface ViolationPredicate {
  readonly id: string
  readonly name: string
  readonly when: Condition.Condition
  readonly at: "before" | "after"
  readonly scope?: ReadonlyArray<string>
  readonly monotone: "declared" | "lift"
  /** The table whose changed rows are looked at. */
  readonly each?: { readonly section: "world" | "working"; readonly table: string }
  /** Once it has held, further mutations are refused (`then: halt_mutations`). */
  readonly halts: boolean
}

/** Fields that the predicate may look at, or `any` where that cannot be told. */
export const reads = (self: ViolationPredicate): ReadonlyArray<string> | "any" => {
  const read = Condition.reads(self.when)
  if (read === "any" || self.each === undefined) return read
  return [
    ...new Set([
      ...read.filter((path) => path !== "key" && !/^row(?:\.|$)/.test(path)),
      `${self.each.section}.${self.each.table}`
    ])
  ].sort()
}

/** Tells whether the predicate is violated by what it is given. */
export const violated = (
  self: ViolationPredicate,
  bindings: Expression.Bindings
): Result.Result<boolean, Condition.ConditionFailed> => Condition.holds(self.when, bindings)
