/**
 * Tells whether an act is part of what a run was seeded with. The seeded fields show that; the run's own history does
 * not.
 */

import type { ClaimHolder } from "@backstitch/kernel/ClaimHolder"
import * as Payload from "@backstitch/kernel/Payload"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"

/** Tells whether the beliefs with which a run began already include an act. Folding the act would count it twice. */
export const seedContains = Effect.fnUntraced(function* (
  history: History.Stored,
  run: Run.Run,
  { run: by, settled = 0 }: Pick<ClaimHolder, "run" | "settled">
) {
  const [first] = yield* history.transitions(run, { to: 1 })
  for (const { id, tick } of believedFrom(first && Payload.of(first.body, "run.started")?.seeds)) {
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

const believedFrom = (
  seeds: Payload.Of<"run.started">["seeds"] = []
): ReadonlyArray<{ readonly id: string; readonly tick: number }> =>
  seeds.flatMap(({ field, run, tick }) => (field.startsWith("world.") ? [{ id: run, tick }] : []))
