/**
 * Conditions over the system of record, and the discrepancy that an unmet one is taken for.
 *
 * A bare condition says that something is wrong. One with a name and a class
 * says what: which known failure of such systems it is, and which discrepancy
 * recovery has to answer.
 *
 * @source Action Verification, "Discrepancy Classification Model" and "Post-Action Check Pattern Library"
 */
import type * as Condition from "../state/Condition.ts"
import type * as VerificationCheck from "./VerificationCheck.ts"

/**
 * The discrepancies that an unmet expectation may be taken for.
 *
 * **Details**
 *
 * The twelfth class, an action that found everything as intended, is not among
 * them: an expectation that is not met cannot be declared a success.
 */
export const discrepancies = [
  "no_op_failure",
  "value_mismatch",
  "stale_state",
  "partial_application",
  "duplicate_side_effect",
  "wrong_target_modified",
  "target_missing",
  "propagation_delay",
  "unverifiable_state",
  "compensation_required",
  "unknown_state"
] as const

/** A discrepancy that an unmet expectation may be taken for. */
export type Discrepancy = (typeof discrepancies)[number]

/**
 * A condition over the system of record. `indicator` names the failure that shows where it is not met, and `checks`
 * what it compares where that cannot be told from it.
 */
export type Expectation = Condition.Condition & {
  readonly indicator?: string
  readonly otherwise?: Discrepancy
  readonly checks?: ReadonlyArray<VerificationCheck.VerificationCheck>
}
