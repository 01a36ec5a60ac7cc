/**
 * A root, bosses below it, and leaves that work. Everything passes through the root, which becomes the bottleneck:
 * its queue grows while leaves are idle.
 *
 * The queue is what a root notes of itself, or else what the tasks show: results that are handed in and not collected.
 *
 * @source Crash Recovery, six topologies and the diagnostic table
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Crack from "../event/Crack.ts"
import { entryOf } from "../event/recordEntry.ts"
import type { Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** The queue at the root at a tick, and the number of idle leaves. */
export interface Load extends JsonObject {
  readonly tick: number
  readonly waiting: number
  readonly idle: number
}

/** A task under way, and whether its result goes to the root, and not to a boss below it. */
interface Open extends JsonObject {
  readonly worker: string
  readonly isForRoot: boolean
}

/** Open tasks, results that wait at the root, the latest loads, and the levels that are brought together. */
export interface Hierarchy extends JsonObject {
  readonly root?: string | undefined
  readonly open: { readonly [task: string]: Open }
  readonly waiting: ReadonlyArray<string>
  readonly leaves: ReadonlyArray<string>
  readonly loads: ReadonlyArray<Load>
  readonly aggregated: { readonly [level: string]: number }
}

const without = (open: Hierarchy["open"], task: string): Hierarchy["open"] => {
  const { [task]: _, ...rest } = open
  return rest
}

/** The load that the tasks themselves show. */
const shown = ({ leaves, open, waiting }: Hierarchy, tick: number): Load => {
  const busy = new Set(Object.values(open).map(({ worker }) => worker))
  return { tick, waiting: waiting.length, idle: leaves.filter((leaf) => !busy.has(leaf)).length }
}

const noted = (self: Hierarchy, { agent, memo, tick }: Noted): Hierarchy => {
  switch (memo.memo) {
    case "dispatch": {
      const root = self.root ?? agent
      return {
        ...self,
        root,
        open: { ...self.open, [memo.task]: { worker: memo.worker, isForRoot: agent === root } },
        // Of a task that is ordered once more, nothing waits: what was handed in is no result.
        waiting: self.waiting.filter((task) => task !== memo.task),
        // A worker that gives tasks to others is no leaf.
        leaves: [...new Set([...self.leaves, memo.worker])].filter((leaf) => leaf !== agent)
      }
    }
    case "report": {
      const task = entryOf(self.open, memo.task)
      if (task === undefined) return self
      const next = { ...self, open: without(self.open, memo.task) }
      if (!task.isForRoot) return next
      const waiting = { ...next, waiting: [...self.waiting, memo.task] }
      return loaded(waiting, shown(waiting, tick))
    }
    case "collect":
      return { ...self, waiting: self.waiting.filter((task) => task !== memo.task) }
    case "load":
      return loaded({ ...self, root: self.root ?? agent }, { tick, waiting: memo.waiting, idle: memo.idle })
    case "aggregate":
      return { ...self, aggregated: { ...self.aggregated, [String(memo.level)]: tick } }
    default:
      return self
  }
}

const loaded = (self: Hierarchy, load: Load): Hierarchy => ({
  ...self,
  loads: [...self.loads, load].slice(-Limits.pacing.growingReportsMin)
})

/** The number of tasks that may wait at the root. */
export const queueOf = ({ queueMax = Limits.pacing.waitingReportsMax }: Topology.Topology): number =>
  Math.max(1, queueMax)

/** Tells whether the queue has grown over the latest loads, past its limit, while leaves were idle. */
const isJammed = ({ loads }: Hierarchy, declared: Topology.Topology): boolean => {
  const last = loads.at(-1)
  if (last === undefined || loads.length < Limits.pacing.growingReportsMin) return false
  const isGrowing = loads.every(({ waiting }, index) => index === 0 || waiting > loads[index - 1]!.waiting)
  return isGrowing && last.waiting > queueOf(declared) && loads.every(({ idle }) => idle > 0)
}

/** The hierarchy as a decider. */
export const shape: Shape.Shape<Hierarchy> = {
  kind: "hierarchical",
  needs: "queueMax",
  init: { open: {}, waiting: [], leaves: [], loads: [], aggregated: {} },
  step: (self, event: TopologyEvent, declared) => {
    if (event._tag !== "Noted") return Shape.quiet(self)
    const state = noted(self, event)
    if (state.loads === self.loads || !isJammed(state, declared)) return Shape.quiet(state)
    const evidence = state.loads.map(({ tick }) => tick)
    const found = { tick: event.tick, evidence, agent: state.root }
    return { state, cracks: [Crack.make("root_bottleneck", "queue_grows_leaves_idle", found)] }
  }
}

/**
 * Splits what waits at a root among shards, each with at most the queue that the topology allows. Every task is in
 * exactly one shard, in its order.
 */
export const shards = (
  waiting: ReadonlyArray<string>,
  declared: Topology.Topology
): ReadonlyArray<ReadonlyArray<string>> => {
  const size = queueOf(declared)
  const count = Math.ceil(waiting.length / size)
  return Array.from({ length: count }, (_, index) => waiting.slice(index * size, (index + 1) * size))
}

/** The lowest level that is not brought together yet: a resume goes on there, and keeps what is below it. */
export const nextLevel = ({ aggregated }: Hierarchy): number => {
  let level = 1
  while (aggregated[String(level)] !== undefined) level++
  return level
}
