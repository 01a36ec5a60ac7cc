/**
 * The words of recovery, as schemas: the kinds of discrepancies, the actions against them, and the sections of the
 * table.
 */
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import { words } from "@backstitch/trace/Payload"

/** `Object.keys` loses the type of the keys. */
const namesOf = <const N extends string>(table: { readonly [K in N]: unknown }): ReadonlyArray<N> =>
  Object.keys(table) as Array<N & string>

/** The classes of a discrepancy. */
export const DiscrepancyClass = words("discrepancy", Discrepancy.classes)

/** The fallbacks of a source that does not confirm. */
export const FallbackName = words("fallback", VerificationDepth.fallbacks)

/** The actions of recovery. */
export const RecoveryName = words("recovery_action", namesOf(RecoveryAction.definitions))

/** A section of the recovery table. */
export const Section = words("section", namesOf(RecoveryTable.sections))

/** The standings with which an action may be reported. */
export const StandingName = words("standing", ReconciliationStatus.all)

/** The triggers of a review. */
export const Trigger = words("trigger", VerificationDepth.triggers)

/** The verdicts of a person on an action. */
export const verdicts = ["success", "failure", "abandoned", "reopened", "resent", "noted"] as const
