/**
 * The patch that takes `working` back over discarded acts. A field that a kept act or the agent has changed since
 * stays.
 *
 * @source docs/decisions/0031
 */

import type { State } from "@backstitch/reducer/State"
import * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import * as StateKeys from "../subtask/StateKeys.ts"
import type * as RunActs from "./RunActs.ts"

/** Makes the patch over the given actions, at the head that the acts have followed. */
export const patch = (
  { written }: RunActs.RunActs,
  discarded: ReadonlySet<string>,
  { working }: State
): WorkingPatch.WorkingPatch =>
  [...written].flatMap(([key, changes]) => {
    const last = changes.findLastIndex(({ action }) => action === undefined || !discarded.has(action))
    const place = StateKeys.placeOf(key)
    const first = changes[last + 1]
    return place === undefined || first === undefined ? [] : WorkingPatch.toward(working, first.before, [place])
  })
