/**
 * What a run was seeded with. Its fields show what the runs did that they were taken from, and its history does not.
 *
 * @since 0.1.0
 */
import type { Holder } from "@backstitch/kernel/Holder"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "../History.ts"

/** Tells whether a run began with beliefs that an act is part of already. To fold it would count it twice. */
export const isSeededWith = Effect.fnUntraced(function* (
  history: History.History["Service"],
  run: Run.Run,
  { run: by, settled = 0 }: Pick<Holder, "run" | "settled">
) {
  const [first] = yield* history.transitions(run, { to: 1 })
  for (const { id, tick } of believedFrom(first?.body.data?.["seeds"])) {
    let at: { readonly id: string; readonly tick: number } | undefined = { id, tick }
    while (at !== undefined) {
      if (at.id === by) {
        if (at.tick >= settled) return true
        break
      }
      at = (yield* history.info(Run.make(at.id, run.tenant))).parent
    }
  }
  return false
})

const believedFrom = (seeds: Json | undefined): ReadonlyArray<{ readonly id: string; readonly tick: number }> =>
  (Array.isArray(seeds) ? (seeds as ReadonlyArray<JsonObject>) : []).flatMap(({ field, run, tick }) =>
    typeof run === "string" && typeof tick === "number" && String(field).startsWith("world.") ? [{ id: run, tick }] : []
  )
