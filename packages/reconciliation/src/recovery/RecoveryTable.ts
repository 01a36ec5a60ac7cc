/**
 * The recovery table: the one answer to each discrepancy, complete and versioned. No model can override it.
 *
 * A decision is looked up by the finding or class, the side-effect class of the tool and the present conditions. Rows
 * are read from top to bottom, and each section ends in a row without conditions, so every case has one answer (L9).
 * No answer sends a mutation again unless its key is on record and honoured.
 *
 * Each row names, by number, the row of Action Verification that it implements. A row of Backstitch closes a gap, or
 * adds a condition without which another row would be unsafe, and gives that reason.
 *
 * @source Action Verification, "Recovery Decision Tables" (21 rows) and "Recovery Selection Rule"
 */

import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Discrepancy from "../evidence/Discrepancy.ts"
import type { RecoveryAction } from "./RecoveryAction.ts"
import { applies, type Conditions, type RecoveryRow, type RecoverySections, RowJson } from "./RecoveryRow.ts"
import * as RecoveryRows from "./recoveryRows.ts"

/** Version of the table. A change of any row is a new version, and passes the release gates first. */
export const version = 1

/** The rows of each section of the recovery table. */
export const sections: RecoverySections = { ...RecoveryRows.findings, ...RecoveryRows.classes }

/** A code for the reason of a row of Backstitch. */
export type RowReason =
  | (typeof RecoveryRows.findings)[keyof typeof RecoveryRows.findings][number]["because"]
  | (typeof RecoveryRows.classes)[keyof typeof RecoveryRows.classes][number]["because"]

/** A decision: the action, the row and section that chose it, and the version of the table. */
export interface ChosenRecovery {
  readonly action: RecoveryAction
  readonly because: string
  readonly section: keyof RecoverySections
  readonly row: number
  readonly version: number
}

/** The section that treats a class or a finding. */
const sectionOf = (subject: Discrepancy.RecoverySubject): keyof RecoverySections => {
  const finding = Object.hasOwn(Discrepancy.findingOf, subject)
    ? Discrepancy.findingOf[subject as Discrepancy.Class]
    : null
  return finding ?? (subject as keyof RecoverySections)
}

/**
 * Decides what to do about a discrepancy (L9).
 *
 * **Example** (An answer that was lost, for a tool that honours keys)
 *
 * ```ts import.meta.vitest
 * import { RecoveryRow, RecoveryTable } from "@backstitch/reconciliation"
 *
 * const now = { ...RecoveryRow.calm, keyRecorded: true, keyHonoured: true }
 *
 * RecoveryTable.decide("pending_timeout", "high_risk_external", now).action // => "poll_key_record"
 * RecoveryTable.decide("pending_timeout", "high_risk_external", RecoveryRow.calm).action // => "freeze_and_reconcile"
 * ```
 */
export const decide = (
  subject: Discrepancy.RecoverySubject,
  sideEffect: ToolContract.SideEffect,
  conditions: Conditions
): ChosenRecovery => decideBy(sections, subject, sideEffect, conditions)

/** Decides by another table, such as one that is tried before its release. */
export const decideBy = (
  self: RecoverySections,
  subject: Discrepancy.RecoverySubject,
  sideEffect: ToolContract.SideEffect,
  conditions: Conditions
): ChosenRecovery => {
  const section = sectionOf(subject)
  const rows: ReadonlyArray<RecoveryRow> = self[section]
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

/**
 * Reads a table from JSON. It must have every section, only known words, and a last row without conditions in each
 * section (L9).
 */
export const fromJson = (json: unknown): Result.Result<RecoverySections, TableInvalid> => {
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
  return Result.succeed(read.success as RecoverySections)
}

/** Digest of the table, without its texts: two stores with equal digests decide alike. */
export const digest = (self: RecoverySections = sections): Digest.Digest =>
  Digest.ofJson("backstitch.recovery.1", {
    sections: JsonText.carried(withoutWords(self)) as Canonical.Json,
    version
  })

/** Leaves out the texts of rows, which decide nothing. Committed digests have `sourceRow` under its first name. */
const withoutWords = (self: RecoverySections) =>
  Object.fromEntries(
    Object.entries<ReadonlyArray<RecoveryRow>>(self).map(([name, rows]) => [
      name,
      rows.map(({ because: _, sourceRow, ...row }) => (sourceRow === undefined ? row : { ...row, seed: sourceRow }))
    ])
  )

/** Names the table in a ledger entry. */
export const policyVersion = (self: RecoverySections = sections): string =>
  `recovery@${version}+${digest(self).slice(0, 12)}`

const decodeTable = Schema.decodeUnknownResult(Schema.Record(Schema.String, Schema.Array(RowJson)))
