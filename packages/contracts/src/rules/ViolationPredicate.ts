/**
 * Predicates that report when a run has violated its pack.
 *
 * A violation never keeps a fact out of the trace. It is recorded at the first tick at which it holds, it may halt
 * further mutations, and bisect can search for it. It reads only committed state, so anybody can derive it again.
 *
 * **Details**
 *
 * `at` selects the state: after the transition, or before it. The default is after. `scope` names the tools and
 * transition types at whose ticks the predicate is evaluated; without it, every tick counts. With `each`, it is
 * evaluated for the rows of a table that changed, as `row` and `key`. `monotone` says whether it can never recover by
 * itself (`declared`) or is latched by the kernel (`lift`).
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
  /** The table whose changed rows are evaluated. */
  readonly each?: { readonly section: "world" | "working"; readonly table: string }
  /** If `true`, further mutations are refused once it has held (`then: halt_mutations`). */
  readonly halts: boolean
}

/** Fields that the predicate may read; `any` if they are unknown. */
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

/** Tells whether the predicate is violated by the given names. */
export const violated = (
  self: ViolationPredicate,
  bindings: Expression.Bindings
): Result.Result<boolean, Condition.ConditionFailed> => Condition.holds(self.when, bindings)
