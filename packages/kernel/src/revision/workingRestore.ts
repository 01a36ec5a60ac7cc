/**
 * The patch that takes `working` back over discarded acts, and over the notes of the agent from a tick on. A field that
 * a kept act or somebody else has changed since stays.
 *
 * @source Revisable by Design, algorithm 1, line 21; docs/decisions/0031, 0079
 */

import type { State } from "@backstitch/reducer/State"
import * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import * as StateKeys from "../subtask/StateKeys.ts"
import type * as RunActs from "./RunActs.ts"

/** The discarded actions, and the tick from which notes are taken back; all of them stay without one. */
export interface Discarded {
  readonly actions: ReadonlySet<string>
  readonly notesFrom: number | undefined
}

/** Makes the patch over what was discarded, at the head that the acts have followed. */
export const patch = (
  { written }: RunActs.RunActs,
  { actions, notesFrom = Number.POSITIVE_INFINITY }: Discarded,
  { working }: State
): WorkingPatch.WorkingPatch => {
  const isGone = ({ action, isNote, tick }: RunActs.WorkingChange): boolean =>
    action === undefined ? isNote && tick >= notesFrom : actions.has(action)
  return [...written].flatMap(([key, changes]) => {
    const last = changes.findLastIndex((change) => !isGone(change))
    const place = StateKeys.placeOf(key)
    const first = changes[last + 1]
    return place === undefined || first === undefined ? [] : WorkingPatch.toward(working, first.before, [place])
  })
}
