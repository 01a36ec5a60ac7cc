/**
 * Monotonicity of predicates: once violated, a monotone predicate stays violated, as tested on available traces.
 *
 * Binary search needs this property. Samples can refute it and never prove it, so a predicate that passes was only
 * not refuted, and the number of samples is reported.
 *
 * @source Dendrer, section 3.3.3 and appendix C
 */
import * as Latch from "@backstitch/reducer/Latch"
import type * as Rules from "@backstitch/reducer/Rules"
import type { Step } from "../compare/Step.ts"
import * as Scan from "../find/Scan.ts"

/** A trace to test against. */
export interface Sample {
  readonly run: string
  readonly steps: Iterable<Step>
}

/** The verdict of one sample. */
export type SampleVerdict =
  /** It never recovered. Without `violatedAt` it never held, so the sample tested nothing. */
  | { readonly _tag: "Kept"; readonly evaluations: number; readonly violatedAt: number | undefined }
  | {
      readonly _tag: "Recovered"
      readonly violatedAt: number
      readonly recoveredAt: number
      /** The next tick at which it held once more, which shows an oscillation. */
      readonly violatedAgainAt: number | undefined
    }
  | { readonly _tag: "Failed"; readonly failedAt: number }

/** Evaluates a predicate along a sample, at the ticks of its scope, and looks for a recovery. */
export const verify = (predicate: Rules.Predicate, steps: Iterable<Step>): SampleVerdict => {
  const whole = everyRow(predicate)
  let evaluations = 0
  let violatedAt: number | undefined
  let recoveredAt: number | undefined
  for (const step of steps) {
    if (!Scan.concerns(predicate, step)) continue
    const { tick } = step.transition
    const verdict = Latch.evaluate(whole, step)
    evaluations++
    if (verdict === "error") return { _tag: "Failed", failedAt: tick }
    if (verdict === "violation") {
      if (recoveredAt !== undefined) {
        return { _tag: "Recovered", violatedAt: violatedAt!, recoveredAt, violatedAgainAt: tick }
      }
      violatedAt ??= tick
    } else if (violatedAt !== undefined) recoveredAt ??= tick
  }
  return recoveredAt === undefined
    ? { _tag: "Kept", evaluations, violatedAt }
    : { _tag: "Recovered", violatedAt: violatedAt!, recoveredAt, violatedAgainAt: undefined }
}

/**
 * A predicate that reads every row each time. A predicate over rows reads only changed rows unless it has a scope,
 * and a row that stays bad has not recovered.
 */
export const everyRow = (predicate: Rules.Predicate): Rules.Predicate =>
  predicate.each === undefined ? predicate : { ...predicate, scope: predicate.scope ?? new Set() }
