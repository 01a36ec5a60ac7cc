/** The words of facts that a discrepancy rests on. What a contract names is told by its own name. */
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"

const words: { readonly [F in Discrepancy.Fact]: string } = {
  "answer.first": "the answer of its first call",
  "answer.status": "the tool's answer",
  "contract.strong_source": "the contract names a source of a strong read",
  "delay.passed": "the consistency delay has passed",
  "effect.wanted": "the effect is wanted",
  "key.recorded": "the key is on record",
  "read.strong": "the read was strong",
  "record.as_before": "the record is as it was before the transaction",
  "record.conclusive": "the system of record says what happened",
  "record.effects": "effects of one operation",
  "record.readable": "the system of record answers",
  "record.single": "one entry under one key",
  "record.way": "a way to read the result",
  "reversal.done": "the reversal was done",
  "target.changed": "the target changed",
  "target.there": "the target is there",
  "target.version": "the version that was planned on",
  "transaction.committed": "the transaction was committed",
  "transaction.in_time": "it was verified in the time of the contract",
  "version.later": "the record is not earlier than the commit"
}

/** Why a row says what it says. A row of another table than ours has its own reasons. */
export const because = (at: { readonly action: unknown; readonly row: number; readonly section: string }) => {
  const rows: ReadonlyArray<RecoveryRow.Row> = Object.hasOwn(RecoveryTable.sections, at.section)
    ? RecoveryTable.sections[at.section as keyof RecoveryRow.Sections]
    : []
  const row = rows[at.row - 1]
  return row?.action === at.action ? row?.because.replace(/^ours: /, "") : undefined
}

export const say = (fact: string): string => (Object.hasOwn(words, fact) ? words[fact as Discrepancy.Fact] : fact)
