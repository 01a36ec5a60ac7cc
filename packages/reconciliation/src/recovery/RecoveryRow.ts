/**
 * A row of the recovery table: the conditions under which it applies, its action, and the reason.
 *
 * @source Action Verification, "Recovery Decision Tables"
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Schema from "effect/Schema"
import type * as Discrepancy from "../evidence/Discrepancy.ts"
import { definitions, type RecoveryAction } from "./RecoveryAction.ts"

/**
 * The conditions under which a recovery is chosen.
 *
 * **Details**
 *
 * - `withinDelay`: the declared consistency delay since the write has not passed.
 * - `maybeStale`: the read may have come from a replica, a cache or a stale endpoint.
 * - `budgetLeft`: verification may read once more.
 * - `transactionOpen`: the local transaction is open, so nobody else sees its effect.
 * - `reversible`: an inverse or a compensation is declared for this instance, and registered.
 * - `pivotPassed`: a pivot has committed.
 * - `keyRecorded`: the key is durable with the request, and the tool recognises it.
 * - `keyHonoured`: the tool still honours the key.
 * - `executed`: something was sent.
 * - `providerUp`: the system of record can be reached.
 * - `permitted`: the present state is the wanted one, and the contract lets it count.
 * - `policyCurrent`: the policy of the approval is the one in force.
 * - `approvalMatches`: the approval is for exactly these arguments.
 */
export interface Conditions {
  readonly withinDelay: boolean
  readonly maybeStale: boolean
  readonly budgetLeft: boolean
  readonly transactionOpen: boolean
  readonly reversible: boolean
  readonly pivotPassed: boolean
  readonly keyRecorded: boolean
  readonly keyHonoured: boolean
  readonly executed: boolean
  readonly providerUp: boolean
  readonly permitted: boolean
  readonly policyCurrent: boolean
  readonly approvalMatches: boolean
}

/**
 * A row: when it applies, its action, and the reason. Without `classes` it applies to all classes.
 *
 * **Details**
 *
 * `because` is a code in a row of Backstitch, and any text of its author in another table. `sourceRow` is the number of
 * the row in Action Verification's table, or `typical` if it comes from a class outside of that table. A row of
 * Backstitch has none.
 */
export interface RecoveryRow {
  readonly when: Partial<Conditions>
  readonly action: RecoveryAction
  readonly because: string
  readonly classes?: ReadonlyArray<ToolContract.SideEffect>
  readonly sourceRow?: number | "typical"
}

/** The last row of a section, without conditions. */
export interface LastRow extends RecoveryRow {
  readonly when: { readonly [Name in keyof Conditions]?: never }
  readonly classes?: never
}

/** Classes that have no finding, and so a section of their own. */
export type Unmapped = {
  [C in Discrepancy.Class]: (typeof Discrepancy.findingOf)[C] extends null ? C : never
}[Discrepancy.Class]

/** The whole table. The compiler checks that no section and no last row is missing. */
export type RecoverySections = {
  readonly [Name in Discrepancy.RecordFinding | Unmapped]: readonly [...ReadonlyArray<RecoveryRow>, LastRow]
}

/** Tells whether a row applies. */
export const applies = (row: RecoveryRow, sideEffect: ToolContract.SideEffect, conditions: Conditions): boolean =>
  (row.classes === undefined || row.classes.includes(sideEffect)) &&
  (Object.keys(row.when) as ReadonlyArray<keyof Conditions>).every((name) => row.when[name] === conditions[name])

/** Conditions without any doubt, as a base for changing single ones. */
export const calm: Conditions = {
  withinDelay: false,
  maybeStale: false,
  budgetLeft: true,
  transactionOpen: false,
  reversible: false,
  pivotPassed: false,
  keyRecorded: false,
  keyHonoured: false,
  executed: true,
  providerUp: true,
  permitted: false,
  policyCurrent: true,
  approvalMatches: true
}

/** A row in the form of a file. */
export const RowJson = Schema.Struct({
  when: Schema.Record(
    Schema.Literals(Object.keys(calm) as ReadonlyArray<keyof Conditions>),
    Schema.optionalKey(Schema.Boolean)
  ),
  action: Schema.Literals(Object.keys(definitions) as ReadonlyArray<RecoveryAction>),
  because: Schema.String,
  classes: Schema.optionalKey(Schema.Array(Schema.Literals(ToolContract.sideEffects))),
  sourceRow: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Literal("typical")]))
})
