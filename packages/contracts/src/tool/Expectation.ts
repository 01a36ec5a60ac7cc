/**
 * Conditions over the system of record, and the class of the discrepancy if one is not met.
 *
 * A bare condition only says that something is wrong. A condition with a name and a class says which known failure of
 * such systems it is, and which discrepancy recovery has to answer.
 *
 * @source Action Verification, "Discrepancy Classification Model" and "Post-Action Check Pattern Library"
 */
import type * as Condition from "../state/Condition.ts"
import type * as VerificationCheck from "./VerificationCheck.ts"

/**
 * The classes of discrepancies that an unmet expectation may stand for.
 *
 * **Details**
 *
 * The twelfth class, an action that found everything as intended, is not among them, because an unmet expectation
 * can't be a success.
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

/** A discrepancy for which an unmet expectation may stand. */
export type Discrepancy = (typeof discrepancies)[number]

/**
 * A condition over the system of record. `indicator` names the failure if it is not met. `checks` names what it
 * compares, if the condition does not show that.
 */
export type Expectation = Condition.Condition & {
  readonly indicator?: string
  readonly otherwise?: Discrepancy
  readonly checks?: ReadonlyArray<VerificationCheck.VerificationCheck>
}
