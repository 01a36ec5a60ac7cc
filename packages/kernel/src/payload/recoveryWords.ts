/** The words of recovery, as schemas: what is different, what is done about it, and by which section of the table. */
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import { words } from "@backstitch/trace/Payload"

/** `Object.keys` forgets what it lists. */
const namesOf = <const N extends string>(table: { readonly [K in N]: unknown }): ReadonlyArray<N> =>
  Object.keys(table) as Array<N & string>

/** In what an outcome differs. */
export const DiscrepancyClass = words("discrepancy", Discrepancy.classes)

/** What is done next where a source does not confirm. */
export const FallbackName = words("fallback", VerificationDepth.fallbacks)

/** What recovery does. */
export const RecoveryName = words("recovery_action", namesOf(RecoveryAction.definitions))

/** A section of the recovery table. */
export const Section = words("section", namesOf(RecoveryTable.sections))

/** Where an action stands, as it may be told. */
export const StandingName = words("standing", ReconciliationStatus.all)

/** What brings in a person. */
export const Trigger = words("trigger", VerificationDepth.triggers)

/** What a person may decide. */
export const verdicts = ["success", "failure", "abandoned", "reopened", "resent", "noted"] as const
