/** Random executions of subtasks, and what a rollback does to them: versions of keys, and who stands on which. */
import * as Schema from "effect/Schema"
import type * as Checkpoint from "../src/instance/Checkpoint.ts"
import type * as Effect from "../src/instance/Effect.ts"
import type { Entry } from "../src/instance/Entry.ts"
import type { LiftedStep } from "../src/registry/LiftedStep.ts"
import * as Registry from "../src/registry/Registry.ts"

const Key = Schema.Literals(["k1", "k2", "k3", "k4"])

/** A step of a random execution; its tick is its place. */
export const Move = Schema.Struct({
  skeleton: Schema.Literals(["a", "b", "c"]),
  entity: Schema.Literals(["1", "2"]),
  reads: Schema.Array(Key),
  writes: Schema.Array(Key),
  commit: Schema.Boolean,
  exit: Schema.Boolean,
  effect: Schema.NullOr(
    Schema.Struct({
      reversibility: Schema.Literals(["I", "K", "R", "X"]),
      standing: Schema.Literals(["open", "stands", "undone"])
    })
  )
})

/** A random execution. */
export const Moves = Schema.Array(Move)

export const shape = (id: string, more: Partial<Registry.SkeletonShape> = {}): Registry.SkeletonShape => ({
  id,
  states: ["busy"],
  entry: [],
  outputs: [],
  tools: [],
  effects: "compensate",
  ...more
})

export const shapes = { a: shape("a"), b: shape("b", { effects: "rollback" }), c: shape("c", { effects: "forbid" }) }

export const step = (tick: number, skeleton: string, more: Partial<LiftedStep> = {}): LiftedStep => ({
  tick,
  skeleton,
  entity: "1",
  from: "busy",
  to: "busy",
  tool: "work",
  reads: [],
  writes: [],
  commit: false,
  exit: false,
  ...more
})

export const effect = (action: string, more: Partial<Effect.Effect> = {}): Effect.Effect => ({
  action,
  tool: "work",
  reversibility: "R",
  standing: "stands",
  isRepeatable: true,
  ...more
})

export const stepsOf = (moves: typeof Moves.Type): ReadonlyArray<LiftedStep> =>
  moves.map(({ effect: made, ...move }, index) =>
    step(index + 1, move.skeleton, {
      ...move,
      ...(made === null ? {} : { effect: effect(`e${index + 1}`, made) })
    })
  )

export const registryOf = (steps: ReadonlyArray<LiftedStep>): Registry.Registry =>
  Registry.lift(Registry.make(shapes), steps)

/** The entry of a registry to which a step was lifted. */
const ownerOf = ({ entries }: Registry.Registry, tick: number): Entry | undefined =>
  [...entries.values()].find(({ steps }) => steps.includes(tick))

/**
 * Instances that stay although a version that they read is gone, once some go back to a checkpoint each.
 *
 * A version of a key is the tick of the step that wrote it. A read takes the newest one. A step of an instance that
 * goes back is gone if it is later than the checkpoint, and with it the versions that it wrote.
 */
export const unsupported = (
  registry: Registry.Registry,
  steps: ReadonlyArray<LiftedStep>,
  back: ReadonlyMap<Entry, Checkpoint.Checkpoint>
): ReadonlySet<Entry> => {
  const versions = new Map<string, number>()
  const gone = new Set<number>()
  const found = new Set<Entry>()
  for (const { reads, tick, writes } of steps) {
    const owner = ownerOf(registry, tick)!
    const target = back.get(owner)
    const isGone = target !== undefined && tick > target.tick
    if (isGone) gone.add(tick)
    else if (reads.some((key) => gone.has(versions.get(key) ?? 0))) found.add(owner)
    for (const key of writes) versions.set(key, tick)
  }
  return found
}

/** Keys of instances which stay, whose newest value a restore of others would put back to that at a checkpoint. */
export const erased = (
  registry: Registry.Registry,
  steps: ReadonlyArray<LiftedStep>,
  entry: Entry,
  { tick }: Checkpoint.Checkpoint
): ReadonlyArray<string> => {
  const later = steps.filter((each) => each.tick > tick)
  const isOwn = (each: LiftedStep) => ownerOf(registry, each.tick) === entry
  const putBack = new Set(later.filter(isOwn).flatMap(({ writes }) => writes))
  return later.filter((each) => !isOwn(each)).flatMap(({ writes }) => writes.filter((key) => putBack.has(key)))
}
