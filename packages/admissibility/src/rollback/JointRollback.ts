/**
 * Joint rollbacks: the consumers that would have to go back together with a producer, and the price.
 *
 * For a blocked rollback, this says what would be admissible. Each consumer that forbids it goes back to its latest
 * checkpoint from before the value that it read was written. An instance that has overwritten a value goes back to
 * before that. So do their own consumers, until no instance depends on a removed value. Steps of no subtask never go
 * back: if one of them stands in the way, there is no joint rollback. One is only proposed, and never executed without
 * a request.
 */

import * as Checkpoint from "../instance/Checkpoint.ts"
import type * as Effect from "../instance/Effect.ts"
import { type Entry, writtenAfter } from "../instance/Entry.ts"
import * as Dependency from "../registry/Dependency.ts"
import type { Registry } from "../registry/Registry.ts"
import * as RollbackAdmission from "./RollbackAdmission.ts"

/** One instance that goes back, and the checkpoint to which it goes. */
export interface InstanceRestore {
  readonly checkpoint: Checkpoint.Checkpoint
  /** The number of steps that are done again. */
  readonly steps: number
  /** Effects that are undone through the ledger, the latest first. */
  readonly owes: ReadonlyArray<Effect.Effect>
  /** Effects that cannot be undone, and would remain without their purpose. */
  readonly irreversible: ReadonlyArray<Effect.Effect>
  /** Effects that have to be settled before anything goes back. */
  readonly unsettled: ReadonlyArray<Effect.Effect>
}

/**
 * A proposal: the instances to take back, the one that began last first, with the price. A step or an effect of
 * several instances counts once.
 */
export interface JointRollback {
  readonly restores: ReadonlyArray<InstanceRestore>
  readonly steps: number
  readonly irreversible: number
}

/**
 * Proposes the smallest joint rollback with which an instance goes back to a checkpoint; `undefined` if steps of no
 * subtask depend on it.
 */
export const propose = (
  registry: Registry,
  producer: Entry,
  target: Checkpoint.Checkpoint,
  options: RollbackAdmission.Options
): JointRollback | undefined => {
  const targets = new Map<Entry, Checkpoint.Checkpoint>([[producer, target]])
  const waiting: Array<Entry> = [producer]
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    for (const { dependent, tick } of dependents(registry, entry, targets.get(entry) ?? target, options)) {
      const found = before(dependent, tick)
      if (found === undefined) return undefined
      const known = targets.get(dependent)
      if (known !== undefined && Checkpoint.byRecency(known, found) <= 0) continue
      targets.set(dependent, found)
      waiting.push(dependent)
    }
  }
  const restores = [...targets]
    .sort(([left], [right]) => (right.steps[0] ?? 0) - (left.steps[0] ?? 0))
    .map(([entry, checkpoint]) => restoreOf(registry, entry, checkpoint, options.now))
  const again = [...targets].flatMap(([{ steps }, { tick }]) => steps.filter((at) => at > tick))
  const lost = restores.flatMap(({ irreversible }) => irreversible.map(({ action }) => action))
  return { restores, steps: new Set(again).size, irreversible: new Set(lost).size }
}

/** An instance that cannot stay if another one goes back, and the tick before which its checkpoint has to be. */
interface Dependent {
  readonly dependent: Entry
  readonly tick: number
}

/** Lists the consumers that forbid a restore, and who has written over a value. */
const dependents = (
  registry: Registry,
  producer: Entry,
  checkpoint: Checkpoint.Checkpoint,
  { policy }: Pick<RollbackAdmission.Options, "policy">
): ReadonlyArray<Dependent> => {
  const since = RollbackAdmission.relied(producer, checkpoint, policy)
  const { tick } = checkpoint
  return [
    ...Dependency.consumers(registry, producer, since).map(({ entry, keys }) => ({
      dependent: entry,
      tick: Math.min(
        firstWritten(producer, keys, since),
        ...entry.effects
          .filter(({ effect }) => registry.effects.get(effect.action)?.has(producer))
          .map((made) => made.tick)
      )
    })),
    ...Dependency.overwrites(registry, producer, tick).map(({ by, key }) => ({
      dependent: by,
      tick: firstWritten(by, Dependency.overlapping(registry, key), tick)
    }))
  ]
}

/** The first tick after another at which an instance wrote one of several keys. */
const firstWritten = (entry: Entry, keys: ReadonlyArray<string>, tick: number): number =>
  Math.min(...keys.map((key) => writtenAfter(entry, key, tick) ?? Infinity))

/** The latest checkpoint of an instance before a tick, or its first one. */
const before = ({ checkpoints }: Entry, tick: number): Checkpoint.Checkpoint | undefined =>
  checkpoints
    .filter((each) => each.tick < tick)
    .sort(Checkpoint.byRecency)
    .at(-1) ?? checkpoints[0]

const restoreOf = (
  registry: Registry,
  entry: Entry,
  checkpoint: Checkpoint.Checkpoint,
  now: number
): InstanceRestore => {
  const barred = RollbackAdmission.crossed(registry, entry, checkpoint.tick, now).flatMap(({ effects }) => effects)
  return {
    checkpoint,
    steps: entry.steps.filter((tick) => tick > checkpoint.tick).length,
    owes: RollbackAdmission.owed(entry, checkpoint).filter((effect) => !barred.includes(effect)),
    irreversible: barred.filter(({ standing }) => standing !== "open"),
    unsettled: barred.filter(({ standing }) => standing === "open")
  }
}
