/**
 * The linear pass: evaluates a predicate at each step until it holds.
 *
 * It answers questions without a latch, about a predicate that was not registered before the run. It computes the
 * monotone lift afterwards, so it is right for predicates that recover, and costs one evaluation per tick.
 *
 * @source Dendrer, section 3.3.3 (monotone lift)
 */
import * as Latch from "@backstitch/reducer/Latch"
import type * as Rules from "@backstitch/reducer/Rules"
import type { Step } from "../compare/Step.ts"

/** A pass under way. */
export interface Scan {
  readonly predicate: Rules.Predicate
  readonly evaluations: number
  /** The first tick at which it held. Then the pass is over. */
  readonly onset: number | undefined
  /** The number of failed evaluations. The pass continues after them, and its answer holds only for the other ticks. */
  readonly failures: number
  /** The first tick at which it could not be evaluated. */
  readonly failedAt: number | undefined
}

/** Begins a pass. */
export const start = (predicate: Rules.Predicate): Scan => ({
  predicate,
  evaluations: 0,
  onset: undefined,
  failures: 0,
  failedAt: undefined
})

/** Evaluates at one step, unless the pass is over or the predicate's scope excludes the step. */
export const step = (self: Scan, at: Step): Scan => {
  if (self.onset !== undefined || !concerns(self.predicate, at)) return self
  const verdict = Latch.evaluate(self.predicate, at)
  const { tick } = at.transition
  const next = { ...self, evaluations: self.evaluations + 1 }
  if (verdict === "violation") return { ...next, onset: tick }
  return verdict === "ok" ? next : { ...next, failures: self.failures + 1, failedAt: self.failedAt ?? tick }
}

/** Runs a pass over the given steps, and reads no more of them than it needs. */
export const run = (predicate: Rules.Predicate, steps: Iterable<Step>): Scan => {
  let scan = start(predicate)
  for (const at of steps) {
    scan = step(scan, at)
    if (scan.onset !== undefined) break
  }
  return scan
}

/** Tells whether a predicate is evaluated at a step: its scope names the type or the tool, or it has none. */
export const concerns = ({ scope }: Rules.Predicate, { tool, transition }: Step): boolean =>
  scope === undefined || scope.has(transition.body.type) || (tool !== undefined && scope.has(tool))
