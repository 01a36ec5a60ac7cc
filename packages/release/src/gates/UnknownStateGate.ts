/** Gate 8: nothing with an unknown outcome is sent again under another key. */
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as GateVerdict from "./GateVerdict.ts"
import * as RecoverySafety from "./RecoverySafety.ts"

/** A drilled action that was never answered, and the keys under which it was sent. */
export interface Unanswered {
  readonly tool: string
  readonly keys: number
}

/**
 * Tries a recovery table in every case against the safety rules, and objects to drills in which one act was sent under
 * several keys.
 *
 * @see {@link RecoverySafety.rules}
 */
export const judge = (
  table: RecoveryRow.RecoverySections = RecoveryTable.sections,
  drilled: ReadonlyArray<Unanswered> = []
): GateVerdict.GateVerdict => {
  const { against, cases } = RecoverySafety.check(table)
  const repeated = drilled.flatMap(
    ({ keys, tool }): ReadonlyArray<Objection> => (keys > 1 ? [{ code: "keys_repeated", keys, tool }] : [])
  )
  return GateVerdict.make("unknown_state", cases + drilled.length, [...against, ...repeated])
}
