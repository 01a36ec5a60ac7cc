/** States that may be looked at and not touched. */
import * as Purity from "@backstitch/functions/Purity"
import type * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"

/** What a planner is shown is what decisions read: it may look, not touch. */
export const freeze = (state: State.State): void => {
  for (const section of [state.kernel, state.working, state.world]) {
    for (const field of Object.values(section)) if (!Table.is(field) && !List.is(field)) Purity.deepFreeze(field)
  }
}
