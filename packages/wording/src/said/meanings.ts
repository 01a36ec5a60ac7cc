/** The meanings of names in a lexicon. Such a name may also come from a contract or from a foreign table. */
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type { Words } from "./Words.ts"

const lookUp = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** The words of a fact of ours; the name itself of one that a contract names. */
export const fact = (name: string, words: Words): string => lookUp(words.facts, name) ?? name

/** The meaning of an action of recovery; `undefined` for a name that is none. */
export const recovery = (name: string, words: Words): string | undefined => lookUp(words.recoveries, name)

/** The meaning of a class of discrepancy; `undefined` for a name that is none. */
export const discrepancy = (name: string, words: Words): string | undefined => lookUp(words.discrepancies, name)

/** The reason for a row that says in our table what it decided; `undefined` for a row of another table. */
export const reason = (
  { action, row, section }: { readonly action: unknown; readonly row: unknown; readonly section: unknown },
  words: Words
): string | undefined => {
  if (typeof section !== "string" || typeof row !== "number") return undefined
  const rows: ReadonlyArray<RecoveryRow.RecoveryRow> = Object.hasOwn(RecoveryTable.sections, section)
    ? RecoveryTable.sections[section as keyof RecoveryRow.RecoverySections]
    : []
  const found = rows[row - 1]
  return found !== undefined && found.action === action ? lookUp(words.reasons, found.because) : undefined
}
