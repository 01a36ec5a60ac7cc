/**
 * What to do about a discrepancy: a table, complete and versioned, that no model can improve on.
 *
 * A decision is looked up by what was found, the side-effect class of the tool
 * and the conditions at the moment. Rows are read from top to bottom, and each
 * subject ends in a row without conditions, so every case has one answer (L9).
 * No answer sends a mutation again unless its key is on record and honoured.
 *
 * Each row names the row of Action Verification that it renders, by number. What is ours
 * closes a gap, or puts a condition first without which the row would be unsafe,
 * and says so.
 *
 * @source Action Verification, "Recovery Decision Tables" (21 rows) and "Recovery Selection Rule"
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Discrepancy from "./Discrepancy.ts"
import * as rowsOf from "./internal/recoveryRows.ts"
import { definitions, type RecoveryAction } from "./RecoveryAction.ts"

/** Version of the table. A change of any row is a new version, and passes the release gates first. */
export const version = 1

/**
 * What is the case while a recovery is chosen.
 *
 * **Details**
 *
 * - `withinDelay`: the declared consistency delay since the write has not passed.
 * - `maybeStale`: the read may have come from a replica, a cache or a stale endpoint.
 * - `budgetLeft`: verification may read once more.
 * - `transactionOpen`: the local transaction is open, and nobody has seen its effect.
 * - `reversible`: an inverse or a compensation is declared for this instance, and registered.
 * - `pivotPassed`: a step from which there is no way back has committed.
 * - `keyRecorded`: the key is durable with the request, and the tool recognises it.
 * - `keyHonoured`: the tool still honours it.
 * - `executed`: something was sent.
 * - `providerUp`: the system of record can be reached.
 * - `permitted`: the state that was found is the one that was wanted, and the contract lets it count.
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
 * A row: when it applies, what it says, and why. Without `classes` it applies to all of them.
 *
 * **Details**
 *
 * `seed` is the number of the row in Action Verification's table, or `typical` for what
 * the seed says of a class outside that table; a row of ours has neither.
 */
export interface Row {
  readonly when: Partial<Conditions>
  readonly action: RecoveryAction
  readonly because: string
  readonly classes?: ReadonlyArray<ToolContract.SideEffect>
  readonly seed?: number | "typical"
}

/** The row that ends a subject: it asks for nothing. */
export interface Last extends Row {
  readonly when: { readonly [Name in keyof Conditions]?: never }
  readonly classes?: never
}

/** Classes that have no finding, and so a section of their own. */
export type Unmapped = {
  [C in Discrepancy.Class]: (typeof Discrepancy.findingOf)[C] extends null ? C : never
}[Discrepancy.Class]

/** The whole table. That no section and no last row is missing, the compiler checks. */
export type Sections = { readonly [Name in Discrepancy.Finding | Unmapped]: readonly [...ReadonlyArray<Row>, Last] }

/** The table. */
export const sections: Sections = { ...rowsOf.findings, ...rowsOf.classes }

/** A decision: what to do, by which row of which section, under which version. */
export interface Decision {
  readonly action: RecoveryAction
  readonly because: string
  readonly section: keyof Sections
  readonly row: number
  readonly version: number
}

/** The section that a class or a finding is treated in. */
export const sectionOf = (subject: Discrepancy.Subject): keyof Sections => {
  const finding = Object.hasOwn(Discrepancy.findingOf, subject)
    ? Discrepancy.findingOf[subject as Discrepancy.Class]
    : null
  return finding ?? (subject as keyof Sections)
}

/**
 * Decides what to do about a discrepancy (L9).
 *
 * **Example** (An answer that was lost, for a tool that honours keys)
 *
 * ```ts import.meta.vitest
 * import { RecoveryTable } from "@backstitch/reconciliation"
 *
 * const now = { ...RecoveryTable.calm, keyRecorded: true, keyHonoured: true }
 *
 * RecoveryTable.decide("pending_timeout", "high_risk_external", now).action // => "poll_key_record"
 * RecoveryTable.decide("pending_timeout", "high_risk_external", RecoveryTable.calm).action // => "freeze_and_reconcile"
 * ```
 */
export const decide = (
  subject: Discrepancy.Subject,
  sideEffect: ToolContract.SideEffect,
  conditions: Conditions
): Decision => decideBy(sections, subject, sideEffect, conditions)

/** Decides by another table, such as one that is to be released. */
export const decideBy = (
  self: Sections,
  subject: Discrepancy.Subject,
  sideEffect: ToolContract.SideEffect,
  conditions: Conditions
): Decision => {
  const section = sectionOf(subject)
  const rows: ReadonlyArray<Row> = self[section]
  const found = rows.findIndex((row) => applies(row, sideEffect, conditions))
  const { action, because } = rows[found]!
  return { action, because, section, row: found + 1, version }
}

/** Error for a file that is no recovery table. */
export class TableInvalid extends Schema.TaggedError<TableInvalid>("@backstitch/reconciliation/TableInvalid")(
  "TableInvalid",
  { problem: Schema.String }
) {
  override get message(): string {
    return `This is no recovery table: ${this.problem}. Write all sections, each with a last row that asks for nothing`
  }
}

/** Reads a table from JSON: every section, known words alone, and a last row without conditions in each (L9). */
export const fromJson = (json: unknown): Result.Result<Sections, TableInvalid> => {
  const read = decodeTable(json, { onExcessProperty: "error" })
  if (Result.isFailure(read))
    return Result.fail(new TableInvalid({ problem: read.failure.message.split("\n").slice(0, 2).join("").trim() }))
  for (const name of Object.keys(sections)) {
    const last = read.success[name]?.at(-1)
    if (last === undefined) return Result.fail(new TableInvalid({ problem: `it has no section ${name}` }))
    if (Object.keys(last.when).length > 0 || last.classes !== undefined) {
      return Result.fail(new TableInvalid({ problem: `the last row of ${name} asks for something` }))
    }
  }
  return Result.succeed(read.success as Sections)
}

/** Tells whether a row applies. */
export const applies = (row: Row, sideEffect: ToolContract.SideEffect, conditions: Conditions): boolean =>
  (row.classes === undefined || row.classes.includes(sideEffect)) &&
  (Object.keys(row.when) as ReadonlyArray<keyof Conditions>).every((name) => row.when[name] === conditions[name])

/** Conditions in which nothing is in doubt, to change single ones of. */
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

/** Digest of the table, without its words: two stores with equal digests decide alike. */
export const digest = (self: Sections = sections): Digest.Digest =>
  Digest.ofBytes(
    `backstitch.recovery.1\n${Canonical.encode({ sections: JsonText.carried(withoutWords(self)) as Canonical.Json, version })}`
  )

/** What rows say to people decides nothing. */
const withoutWords = (self: Sections) =>
  Object.fromEntries(
    Object.entries<ReadonlyArray<Row>>(self).map(([name, rows]) => [name, rows.map(({ because: _, ...row }) => row)])
  )

/** How a ledger entry names the table. */
export const policyVersion = (self: Sections = sections): string => `recovery@${version}+${digest(self).slice(0, 12)}`

const RowJson = Schema.Struct({
  when: Schema.Record(
    Schema.Literals(Object.keys(calm) as ReadonlyArray<keyof Conditions>),
    Schema.optionalKey(Schema.Boolean)
  ),
  action: Schema.Literals(Object.keys(definitions) as ReadonlyArray<RecoveryAction>),
  because: Schema.String,
  classes: Schema.optionalKey(Schema.Array(Schema.Literals(ToolContract.sideEffects))),
  seed: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Literal("typical")]))
})

const decodeTable = Schema.decodeUnknownResult(Schema.Record(Schema.String, Schema.Array(RowJson)))
