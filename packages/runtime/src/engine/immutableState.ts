/** States that may be read but not changed. */
import * as Purity from "@backstitch/functions/Purity"
import type * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"

/** Freezes a state that a planner is shown, because decisions read the same object. */
export const freeze = (state: State.State): void => {
  for (const section of [state.kernel, state.working, state.world]) {
    for (const field of Object.values(section)) if (!Table.is(field) && !List.is(field)) Purity.deepFreeze(field)
  }
}
