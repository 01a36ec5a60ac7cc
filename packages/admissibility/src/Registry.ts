/**
 * The registry of instances: which subtasks of a run were entered, what they read and wrote, and their checkpoints.
 *
 * It is a fold of lifted steps and of the settlements of their effects. Nothing else is stored: a checkpoint names a
 * tick, and the state there is in the trace. An instance begins when its skeleton is entered for an entity without a
 * live occurrence. An entry after its exit, or after its commit and leaving, is another occurrence.
 *
 * The functions of this module change a registry in place.
 *
 * @source DART, sections 4.2 to 4.4, equations 12 and 13, and appendix I.1
 */
import * as DataKey from "@backstitch/contracts/DataKey"
import type * as Skeleton from "@backstitch/contracts/Skeleton"
import * as Boundary from "./Boundary.ts"
import * as Certificate from "./Certificate.ts"
import type * as Checkpoint from "./Checkpoint.ts"
import type { Entry } from "./Entry.ts"
import * as Instance from "./Instance.ts"
import type { LiftedStep } from "./LiftedStep.ts"

/** The fields of a reviewed skeleton on which recovery depends. `outputs` are those of an instance that names none. */
export interface Shape extends Pick<Skeleton.Skeleton, "effects" | "entry" | "id" | "states" | "tools"> {
  readonly outputs: ReadonlyArray<string>
}

/** The instances of a run. */
export interface Registry {
  readonly shapes: Readonly<Record<string, Shape>>
  readonly entries: Map<string, Entry>
  /** Occurrences of a skeleton for one entity, in order. */
  readonly families: Map<string, Array<Entry>>
  /** Instances that read or wrote a key, each once. */
  readonly readers: Map<string, Set<Entry>>
  readonly writers: Map<string, Set<Entry>>
  /** Parts of a whole that were read or written, by the whole. */
  readonly parts: Map<string, Set<string>>
}

/** An empty registry for the skeletons of a contract. */
export const make = (shapes: Readonly<Record<string, Shape>>): Registry => ({
  shapes,
  entries: new Map(),
  families: new Map(),
  readers: new Map(),
  writers: new Map(),
  parts: new Map()
})

/** Lifts steps into a registry, in order. */
export const lift = (self: Registry, steps: Iterable<LiftedStep>): Registry => {
  for (const step of steps) {
    const shape = self.shapes[step.skeleton]
    if (shape !== undefined) take(self, shape, step)
  }
  return self
}

/** Notes the settlement of an effect. A commit that waited for it is certified now, at the tick of the settlement. */
export const settle = (
  self: Registry,
  fact: { readonly action: string; readonly standing: "stands" | "undone"; readonly tick: number }
): Registry => {
  for (const entry of self.entries.values()) {
    const at = entry.effects.findIndex(({ effect }) => effect.action === fact.action)
    const made = entry.effects[at]
    if (made === undefined) continue
    entry.effects[at] = { ...made, effect: { ...made.effect, standing: fact.standing } }
    for (const kind of [...entry.awaited]) reach(self, entry, kind, fact.tick)
  }
  return self
}

const take = (self: Registry, shape: Shape, step: LiftedStep): void => {
  const entry = occurrence(self, shape, step)
  entry.steps.push(step.tick)
  entry.state = step.to
  for (const key of step.reads) {
    entry.reads.set(key, step.tick)
    note(self, "readers", key, entry)
  }
  for (const key of step.writes) {
    const ticks = entry.writes.get(key)
    if (ticks === undefined) entry.writes.set(key, [step.tick])
    else ticks.push(step.tick)
    note(self, "writers", key, entry)
  }
  if (step.effect !== undefined) entry.effects.push({ tick: step.tick, effect: step.effect })
  entry.awaited.clear()
  if (step.commit) reach(self, entry, "commit", step.tick)
  if (step.exit) reach(self, entry, "exit", step.tick)
}

/** The live occurrence that a step belongs to, or the one that begins with it. */
const occurrence = (self: Registry, shape: Shape, step: LiftedStep): Entry => {
  const family = Instance.familyOf(step)
  const occurrences = self.families.get(family) ?? []
  const last = occurrences.at(-1)
  if (last !== undefined && isLive(shape, last)) return last
  const instance = { skeleton: step.skeleton, entity: step.entity, ordinal: occurrences.length }
  const entry: Entry = {
    id: Instance.idOf(instance),
    instance,
    phase: "open",
    state: step.from,
    steps: [],
    reads: new Map(),
    writes: new Map(),
    effects: [],
    outputs: step.outputs ?? shape.outputs,
    awaited: new Set(),
    // Restoring it puts back everything that the first step and later ones wrote.
    checkpoints: [{ instance, kind: "entry", tick: step.tick - 1, state: step.from }],
    refused: []
  }
  self.entries.set(entry.id, entry)
  self.families.set(family, [...occurrences, entry])
  return entry
}

const isLive = ({ states }: Shape, { phase, state }: Entry): boolean =>
  phase === "open" || (phase === "committed" && (states.length === 0 || states.includes(state)))

/**
 * Notes a boundary that was reached: a certified one becomes a checkpoint, another one is kept with its failed tests.
 */
const reach = (self: Registry, entry: Entry, kind: Exclude<Checkpoint.Kind, "entry">, tick: number): void => {
  const certificate = Boundary.certify(self, entry, { kind, tick, holds: true })
  if (!Certificate.isCertified(certificate)) {
    entry.refused.push(certificate)
    entry.awaited.add(kind)
    return
  }
  entry.awaited.delete(kind)
  entry.checkpoints.push({ instance: entry.instance, kind, tick, state: entry.state })
  if (entry.phase !== "exited") entry.phase = kind === "exit" ? "exited" : "committed"
}

const note = ({ parts, ...indices }: Registry, index: "readers" | "writers", key: string, entry: Entry): void => {
  add(indices[index], key, entry)
  const whole = DataKey.wholeOf(key)
  if (whole !== undefined) add(parts, whole, key)
}

const add = <A>(sets: Map<string, Set<A>>, name: string, value: A): void => {
  const known = sets.get(name)
  if (known === undefined) sets.set(name, new Set([value]))
  else known.add(value)
}
