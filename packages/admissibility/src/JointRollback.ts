/**
 * Joint rollbacks: the consumers that would have to go back together with a producer, and the price.
 *
 * For a blocked rollback, this says what would be admissible. Each consumer goes back to its latest checkpoint before
 * the value that it read was written, and so do its own consumers, until no instance depends on a removed value. A
 * joint rollback is only proposed, and never executed without a request.
 */
import * as Checkpoint from "./Checkpoint.ts"
import * as Dependency from "./Dependency.ts"
import * as Effect from "./Effect.ts"
import type { Entry } from "./Entry.ts"
import type { Registry } from "./Registry.ts"

/** One instance that goes back, and the checkpoint to which it goes. */
export interface Restore {
  readonly checkpoint: Checkpoint.Checkpoint
  /** The number of steps that are done again. */
  readonly steps: number
  /** Effects that are undone through the ledger, the latest first. */
  readonly owes: ReadonlyArray<Effect.Effect>
  /** Effects that cannot be undone, and would remain without their purpose. */
  readonly irreversible: ReadonlyArray<Effect.Effect>
}

/** A proposal: the instances to take back, the one that began last first, with the price. */
export interface JointRollback {
  readonly restores: ReadonlyArray<Restore>
  readonly steps: number
  readonly irreversible: number
}

/** Proposes the smallest joint rollback with which an instance goes back to a checkpoint. */
export const propose = (
  registry: Registry,
  producer: Entry,
  target: Checkpoint.Checkpoint,
  now: number
): JointRollback => {
  const targets = new Map<Entry, Checkpoint.Checkpoint>([[producer, target]])
  const waiting: Array<Entry> = [producer]
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    for (const consumer of Dependency.consumers(registry, entry, targets.get(entry)?.tick ?? 0)) {
      const found = before(entry, consumer, targets.get(entry)?.tick ?? 0)
      const known = targets.get(consumer.entry)
      if (found === undefined || (known !== undefined && Checkpoint.byRecency(known, found) <= 0)) continue
      targets.set(consumer.entry, found)
      waiting.push(consumer.entry)
    }
  }
  const restores = [...targets]
    .sort(([left], [right]) => (right.steps[0] ?? 0) - (left.steps[0] ?? 0))
    .map(([entry, checkpoint]) => restoreOf(registry, entry, checkpoint, now))
  return {
    restores,
    steps: restores.reduce((sum, { steps }) => sum + steps, 0),
    irreversible: restores.reduce((sum, { irreversible }) => sum + irreversible.length, 0)
  }
}

/**
 * The latest checkpoint of a consumer before its producer wrote the values that are taken away. Its later reads are
 * lost.
 */
const before = (
  producer: Entry,
  { entry, keys }: Dependency.Consumer,
  tick: number
): Checkpoint.Checkpoint | undefined => {
  const written = Math.min(...keys.map((key) => producer.writes.get(key)?.find((at) => at > tick) ?? Infinity))
  return (
    entry.checkpoints
      .filter((each) => each.tick < written)
      .sort(Checkpoint.byRecency)
      .at(-1) ?? entry.checkpoints[0]
  )
}

const restoreOf = (registry: Registry, entry: Entry, checkpoint: Checkpoint.Checkpoint, now: number): Restore => {
  const policy = registry.shapes[entry.instance.skeleton]?.effects ?? "forbid"
  const after = entry.effects.filter(({ tick }) => tick > checkpoint.tick).map(({ effect }) => effect)
  const barred = new Set(after.filter((effect) => Effect.barrier(effect, policy, now) !== undefined))
  return {
    checkpoint,
    steps: entry.steps.filter((tick) => tick > checkpoint.tick).length,
    owes: after.filter((effect) => !barred.has(effect) && Effect.isOwed(effect)).toReversed(),
    irreversible: [...barred]
  }
}
