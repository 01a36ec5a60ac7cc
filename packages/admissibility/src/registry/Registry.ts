/**
 * The registry of instances: which subtasks of a run were entered, what they read and wrote, and their checkpoints.
 *
 * It is a fold of lifted steps and of the settlements of their effects. Nothing else is stored: a checkpoint names a
 * tick, and the state there is in the trace. An instance begins when its skeleton is entered for an entity without a
 * live occurrence. Once it has exited, or is committed and left, the next entry begins another occurrence.
 *
 * The functions of this module change a registry in place.
 *
 * @source DART, sections 4.2 to 4.4, equations 12 and 13, and appendix I.1
 */
import * as DataKey from "@backstitch/contracts/DataKey"
import type * as Skeleton from "@backstitch/contracts/Skeleton"
import * as Certificate from "../instance/Certificate.ts"
import type * as Checkpoint from "../instance/Checkpoint.ts"
import * as Effect from "../instance/Effect.ts"
import { type Entry, lastTickOf } from "../instance/Entry.ts"
import * as Instance from "../instance/Instance.ts"
import * as Boundary from "./Boundary.ts"
import type { LiftedStep } from "./LiftedStep.ts"

/**
 * The fields of a reviewed skeleton on which recovery depends. An instance without outputs of its own has the
 * `outputs` of the skeleton.
 */
export interface SkeletonShape extends Pick<Skeleton.Skeleton, "effects" | "entry" | "id" | "states" | "tools"> {
  readonly outputs: ReadonlyArray<string>
}

/** The instances of a run. */
export interface Registry {
  readonly shapes: Readonly<Record<string, SkeletonShape>>
  /** Tests of boundaries that are left out, to measure what they prevent. */
  readonly without: ReadonlySet<Certificate.BoundaryTest>
  readonly entries: Map<string, Entry>
  /** Occurrences of a skeleton for one entity, in order. */
  readonly families: Map<string, Array<Entry>>
  /** Instances that read or wrote a key, each once. */
  readonly readers: Map<string, Set<Entry>>
  readonly writers: Map<string, Set<Entry>>
  /** Parts of a key that were read or written, by the whole key. */
  readonly parts: Map<string, Set<string>>
  /** Instances that made an effect, by the action of the effect. */
  readonly effects: Map<string, Set<Entry>>
  /** Checkpoints that were reached since a caller last took them, in order. */
  readonly reached: Array<Checkpoint.Checkpoint>
  /** The steps that belong to no subtask: they read, write and have effects, and are never rolled back. */
  readonly outside: Entry
}

/** An empty registry for the skeletons of a pack; tests of boundaries are left out only to measure their effect. */
export const make = (
  shapes: Readonly<Record<string, SkeletonShape>>,
  without: ReadonlyArray<Certificate.BoundaryTest> = []
): Registry => ({
  shapes,
  without: new Set(without),
  entries: new Map(),
  families: new Map(),
  readers: new Map(),
  writers: new Map(),
  parts: new Map(),
  effects: new Map(),
  reached: [],
  outside: { ...begun({ skeleton: "", entity: null, ordinal: 0 }, "", []), phase: "committed" }
})

const begun = (instance: Instance.Instance, state: string, outputs: ReadonlyArray<string>): Entry => ({
  id: Instance.idOf(instance),
  instance,
  phase: "open",
  state,
  steps: [],
  reads: new Map(),
  writes: new Map(),
  effects: [],
  outputs,
  awaited: new Set(),
  checkpoints: [],
  refused: [],
  leaving: undefined
})

/** A step that has begun: the keys that it reads, and its effect, which is open until it is settled. */
export type Beginning = Pick<LiftedStep, "effect" | "entity" | "from" | "outputs" | "reads" | "skeleton" | "tick">

/**
 * Records that a step of a subtask began: its instance is live from then on, has read the keys of the step, and
 * reaches no boundary before the effect is settled. Answers the instance, or `undefined` if no skeleton has that
 * name.
 */
export const begin = (self: Registry, step: Beginning): Entry | undefined => {
  const shape = self.shapes[step.skeleton]
  if (shape === undefined) return undefined
  const entry = occurrence(self, shape, step)
  entry.state = step.from
  touched(self, entry, { ...step, writes: [] })
  return entry
}

/** Records keys that a step of an instance wrote before the step was settled. */
export const wrote = (self: Registry, entry: Entry, { tick, writes }: Pick<LiftedStep, "tick" | "writes">): void =>
  touched(self, entry, { tick, reads: [], writes })

/** Records a step that belongs to no subtask. */
export const beside = (self: Registry, step: Pick<LiftedStep, "effect" | "reads" | "tick" | "writes">): void =>
  touched(self, self.outside, step)

/**
 * Puts an instance back to one of its checkpoints. Later steps of it, and the checkpoints that they reached, are
 * removed. Its effects stay until each is settled as undone. The keys that the steps read and wrote are removed with
 * the last of these effects: while one stands, others may still rely on it.
 */
export const restore = (self: Registry, entry: Entry, { state, tick }: Checkpoint.Checkpoint): Registry => {
  until(tick, entry.steps, (at) => at)
  until(tick, entry.checkpoints, (each) => each.tick)
  until(tick, entry.refused, (each) => each.tick)
  entry.leaving = { after: tick, to: lastTickOf(entry) }
  leave(entry)
  entry.awaited.clear()
  entry.state = state
  const last = entry.checkpoints.at(-1)?.kind
  entry.phase = last === "exit" ? "exited" : last === "commit" ? "committed" : "open"
  return self
}

/** Removes the keys of restored steps once all their effects are undone. */
const leave = (entry: Entry): void => {
  const { effects, leaving, reads, writes } = entry
  if (leaving === undefined) return
  const isGone = (tick: number) => tick > leaving.after && tick <= leaving.to
  if (effects.some(({ effect, tick }) => isGone(tick) && (effect.standing === "open" || Effect.isOwed(effect)))) return
  for (const keys of [reads, writes]) {
    for (const [key, ticks] of keys) {
      const others = ticks.filter((at) => !isGone(at))
      if (others.length === 0) keys.delete(key)
      else keys.set(key, others)
    }
  }
  entry.leaving = undefined
}

/** Leaves out all entries later than a tick. */
const until = <A>(tick: number, all: Array<A>, at: (each: A) => number): void => {
  all.splice(0, all.length, ...all.filter((each) => at(each) <= tick))
}

/** Lifts steps into a registry, in order. */
export const lift = (self: Registry, steps: Iterable<LiftedStep>): Registry => {
  for (const step of steps) {
    const shape = self.shapes[step.skeleton]
    if (shape !== undefined) finish(self, occurrence(self, shape, step), step)
  }
  return self
}

/** Notes the settlement of an effect. A commit that waited for it is certified now, at the tick of the settlement. */
export const settle = (
  self: Registry,
  fact: { readonly action: string; readonly standing: Effect.Effect["standing"]; readonly tick: number }
): Registry => {
  for (const entry of self.effects.get(fact.action) ?? []) {
    const at = entry.effects.findIndex(({ effect }) => effect.action === fact.action)
    const made = entry.effects[at]
    if (made === undefined) continue
    entry.effects[at] = { ...made, effect: { ...made.effect, standing: fact.standing } }
    leave(entry)
    for (const kind of [...entry.awaited]) reach(self, entry, kind, fact.tick)
  }
  return self
}

/**
 * Records that a step which has begun in an instance is over. The step belongs to that instance, also if the instance
 * has been left or has exited since.
 */
export const finish = (
  self: Registry,
  entry: Entry,
  step: Omit<LiftedStep, "entity" | "from" | "outputs" | "skeleton" | "tool">
): void => {
  entry.steps.push(step.tick)
  entry.state = step.to
  touched(self, entry, step)
  entry.awaited.clear()
  if (step.commit) reach(self, entry, "commit", step.tick)
  if (step.exit) reach(self, entry, "exit", step.tick)
}

/**
 * Records the keys that a step read and wrote, and its effect. A step that began earlier has recorded its effect
 * already.
 */
const touched = (
  self: Registry,
  entry: Entry,
  { effect, reads, tick, writes }: Pick<LiftedStep, "effect" | "reads" | "tick" | "writes">
): void => {
  for (const key of reads) {
    stamp(entry.reads, key, tick)
    add(self.readers, key, entry)
  }
  for (const key of writes) {
    stamp(entry.writes, key, tick)
    add(self.writers, key, entry)
  }
  for (const key of [...reads, ...writes]) {
    const whole = DataKey.wholeOf(key)
    if (whole !== undefined) add(self.parts, whole, key)
  }
  if (effect === undefined) return
  const at = entry.effects.findIndex((each) => each.effect.action === effect.action)
  entry.effects[at < 0 ? entry.effects.length : at] = { tick: entry.effects[at]?.tick ?? tick, effect }
  add(self.effects, effect.action, entry)
}

/** Notes a tick of a key, each once and in order. */
const stamp = (keys: Map<string, Array<number>>, key: string, tick: number): void => {
  const ticks = keys.get(key)
  if (ticks === undefined) keys.set(key, [tick])
  else if (tick > ticks.at(-1)!) ticks.push(tick)
  else if (!ticks.includes(tick)) {
    ticks.push(tick)
    ticks.sort((left, right) => left - right)
  }
}

/** The live occurrence that a step belongs to, or the one that begins with it. */
const occurrence = (self: Registry, shape: SkeletonShape, step: Omit<Beginning, "reads">): Entry => {
  const family = Instance.familyOf(step)
  const occurrences = self.families.get(family) ?? []
  const last = occurrences.at(-1)
  if (last !== undefined && isLive(shape, last)) return last
  const instance = { skeleton: step.skeleton, entity: step.entity, ordinal: occurrences.length }
  const entry = begun(instance, step.from, step.outputs ?? shape.outputs)
  // Restoring it puts back everything that the first step and later ones wrote.
  keep(self, entry, { instance, kind: "entry", tick: step.tick - 1, state: step.from })
  self.entries.set(entry.id, entry)
  self.families.set(family, [...occurrences, entry])
  return entry
}

const isLive = ({ states }: SkeletonShape, { phase, state }: Entry): boolean =>
  phase === "open" || (phase === "committed" && (states.length === 0 || states.includes(state)))

/**
 * Notes a boundary that was reached: a certified one becomes a checkpoint, another one is kept with its failed tests.
 */
const reach = (self: Registry, entry: Entry, kind: Exclude<Checkpoint.CheckpointKind, "entry">, tick: number): void => {
  const certificate = Boundary.certify(self, entry, { kind, tick, holds: true })
  if (!Certificate.isCertified(certificate, self.without)) {
    entry.refused.push(certificate)
    entry.awaited.add(kind)
    return
  }
  entry.awaited.delete(kind)
  keep(self, entry, { instance: entry.instance, kind, tick, state: entry.state })
  if (entry.phase !== "exited") entry.phase = kind === "exit" ? "exited" : "committed"
}

const keep = ({ reached }: Registry, { checkpoints }: Entry, checkpoint: Checkpoint.Checkpoint): void => {
  checkpoints.push(checkpoint)
  reached.push(checkpoint)
}

const add = <A>(sets: Map<string, Set<A>>, name: string, value: A): void => {
  const known = sets.get(name)
  if (known === undefined) sets.set(name, new Set([value]))
  else known.add(value)
}
