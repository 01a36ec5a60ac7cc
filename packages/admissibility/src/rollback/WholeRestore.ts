/**
 * Restores of the whole state of an agent, as frameworks with checkpoints do them.
 *
 * A framework puts everything back to a checkpoint, whatever happened since: it takes the work of all subtasks away,
 * and undoes nothing in the world. So a subtask that has committed since is named, and so is every effect that would
 * be left behind without a trace of it in the state.
 *
 * | since the checkpoint | restored |
 * | --- | --- |
 * | reads, effects that were undone, effects of class I | yes |
 * | an effect that stands, or whose outcome is unknown | no: `irreversible_effect_policy`, `effect_unsettled` |
 * | work of a committed subtask, but for the one that is to be done again | no: `committed_consumers_present` |
 *
 * A rollback of one subtask through the ledger undoes its effects, and may be admitted where this is not.
 *
 * @see {@link RollbackAdmission} for the rollback of one subtask
 * @source DART, definition 6, and appendix F
 */

import * as Effect from "../instance/Effect.ts"
import type { Entry } from "../instance/Entry.ts"
import type { Registry } from "../registry/Registry.ts"
import type * as RollbackAdmission from "./RollbackAdmission.ts"

/** A checkpoint, by the tick after which everything is taken away, and the subtask for whose sake. */
export interface WholeRestore {
  readonly tick: number
  readonly of?: Entry | undefined
}

/** An instance that would lose values, with the keys that it has written since. */
export interface LosingInstance {
  readonly entry: Entry
  readonly keys: ReadonlyArray<string>
}

/** Lists the complete instances that would lose work, in the order in which they began. */
export const lost = ({ entries }: Registry, { of, tick }: WholeRestore): ReadonlyArray<LosingInstance> =>
  [...entries.values()]
    .filter((entry) => entry !== of && entry.phase !== "open" && entry.steps.some((at) => at > tick))
    .map((entry) => ({
      entry,
      keys: [...entry.writes].flatMap(([key, ticks]) => (ticks.some((at) => at > tick) ? [key] : []))
    }))
    .sort((left, right) => (left.entry.steps[0] ?? 0) - (right.entry.steps[0] ?? 0))

/** Lists the reasons against a restore at a time in epoch milliseconds; none if it may be done. */
export const judge = (
  registry: Registry,
  restore: WholeRestore,
  now: number
): ReadonlyArray<RollbackAdmission.InadmissibleReason> => {
  const consumers = lost(registry, restore).map(({ entry, keys }) => ({ instance: entry.instance, keys }))
  return [
    ...(consumers.length === 0 ? [] : [{ code: "committed_consumers_present", consumers } as const]),
    ...crossed(registry, restore, now)
  ]
}

/** Lists the effects that would be left behind, by the reason, each once. */
const crossed = (
  { entries, outside }: Registry,
  { tick }: WholeRestore,
  now: number
): ReadonlyArray<RollbackAdmission.Crossed> => {
  const found = new Map<Effect.Barrier, Map<string, Effect.Effect>>()
  for (const { effects } of [...entries.values(), outside]) {
    for (const { effect, tick: at } of effects) {
      const code = at > tick ? Effect.barrier(effect, "forbid", now) : undefined
      if (code !== undefined) found.set(code, (found.get(code) ?? new Map()).set(effect.action, effect))
    }
  }
  return [...found].map(([code, effects]) => ({ code, effects: [...effects.values()] }))
}
