/**
 * A hierarchy in an open run: a root, bosses below it, and leaves that work.
 *
 * Reports do not pass through the root one by one. What one level hands up is split into shards, none longer than the
 * queue that the topology allows, and each shard has a boss that collects and summarizes it. So the root takes over no
 * more than its queue, however many leaves there are. A level that was summarized is not summarized again.
 *
 * @source Crash Recovery, six topologies and the diagnostic table
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Hierarchy from "@backstitch/topology/Hierarchy"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"

/** A task of a leaf, and what is to be done. */
export type LeafOrder = Pick<Crew.WorkOrder, "brief" | "task">

/** Results of one shard that its boss summarizes. */
export interface Shard {
  readonly level: number
  readonly shard: number
  readonly results: { readonly [task: string]: Json }
}

/** The errand of a hierarchy. The agent that has an order carries it out, and its calls are made in its name. */
export interface HierarchyErrand<R = never> {
  readonly declared: Topology.Topology
  readonly tasks: ReadonlyArray<LeafOrder>
  readonly work: (order: LeafOrder, agent: string) => Effect.Effect<unknown, unknown, R>
  readonly summarize: (shard: Shard, agent: string) => Effect.Effect<unknown, unknown, R>
}

/** A hierarchy that is carried out. */
export interface HierarchyRun<R = never> {
  readonly run: Effect.Effect<Ending.Ending, RunHandle.RunError, R>
  /** Kills the agent that has a task, such as that of a leaf, or `level 1, shard 2` of a boss. */
  readonly kill: Crew.Crew["kill"]
}

/** An order, and what has to be complete before it is given: for a boss, its shard; for a leaf, nothing. */
interface Branch<R> {
  readonly order: Crew.WorkOrder<R>
  readonly below?: Effect.Effect<Crew.CrewEnd, RunHandle.RunError, R>
}

/** Prepares a hierarchy in an open run. Its agents end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: HierarchyErrand<R>) {
  const { declared, summarize, tasks } = errand
  const root = Topology.agentOf(declared, "root")
  const top = yield* Crew.make(handle, { boss: root, declared })
  const crews = new Map<string, Crew.Crew>([[root, top]])
  const scope = yield* Scope.Scope
  const queueMax = Hierarchy.queueOf(declared)
  const { workersMax } = Limits.pacing
  const places = yield* Semaphore.make(workersMax)
  /** The number of shards by level, and those that were taken over by the level above. */
  const sizes: Array<number> = []
  const takenOver = new Map<number, Set<string>>()

  /** Leaves have the names of the order that the topology declares, in turns. */
  const leafOf = (place: number): string =>
    declared.order[place % declared.order.length] ?? `${Topology.agentOf(declared, "leaf")}-${place + 1}`

  const bossOf = (level: number, shard: number): string => `${Topology.agentOf(declared, "boss")}-${level}.${shard}`

  const crewOf = Effect.fnUntraced(function* (name: string) {
    const known = crews.get(name)
    if (known !== undefined) return known
    const made = yield* Effect.provideService(Crew.make(handle, { boss: name, declared }), Scope.Scope, scope)
    crews.set(name, made)
    return made
  })

  /** Notes that tasks of a level were taken over, and commits that the level is complete with its last one. */
  const takeOver = Effect.fnUntraced(function* (level: number, members: ReadonlyArray<string>, agent: string) {
    const size = sizes[level - 1]
    if (size === undefined) return undefined
    const known = takenOver.get(level) ?? new Set()
    for (const member of members) known.add(member)
    takenOver.set(level, known)
    if (known.size < size) return undefined
    return yield* commit(handle, { memo: "aggregate", level, of: size }, { agent, command: `level ${level}` })
  })

  /** Gives orders in the name of a boss: those of leaves together, and that of a boss once its shard is complete. */
  const fulfil = Effect.fnUntraced(function* (crew: Crew.Crew, branches: ReadonlyArray<Branch<R>>) {
    const inPlaces = (orders: ReadonlyArray<Crew.WorkOrder<R>>) =>
      places.withPermits(Math.min(orders.length, workersMax))(crew.fulfil(orders))
    const leaves = branches.filter(({ below }) => below === undefined).map(({ order }) => order)
    if (leaves.length > 0) return yield* inPlaces(leaves)
    const ends = yield* Effect.forEach(
      branches,
      ({ below = Effect.succeed(nothing), order }) =>
        Effect.flatMap(below, (ended) => (ended._tag === "Done" ? inPlaces([order]) : Effect.succeed(ended))),
      { concurrency: "unbounded" }
    )
    return endOfAll(ends)
  })

  /** The bosses of one level, each with a shard of the level below. */
  const bosses = (level: number, below: ReadonlyArray<Branch<R>>): ReadonlyArray<Branch<R>> => {
    const tasks = below.map(({ order }) => order.task)
    return Hierarchy.shards(tasks, declared).map((members, index) => {
      const shard = index + 1
      const worker = bossOf(level, shard)
      const mine = below.filter(({ order }) => members.includes(order.task))
      let results: Shard["results"] = {}
      const complete = Effect.gen(function* () {
        const ended = yield* fulfil(yield* crewOf(worker), mine)
        if (ended._tag !== "Done") return ended
        results = ended.results
        const refused = yield* takeOver(level - 1, members, worker)
        return refused === undefined ? ended : ({ _tag: "Stopped", outcome: refused } as const)
      })
      const work = Effect.suspend(() => summarize({ level, shard, results }, worker))
      const brief = `Bring ${members.join(", ")} together`
      return { below: complete, order: { task: `level ${level}, shard ${shard}`, worker, brief, work } }
    })
  }

  const run = Effect.gen(function* () {
    let branches: ReadonlyArray<Branch<R>> = tasks.map((task, place) => {
      const worker = leafOf(place)
      return { order: { ...task, worker, work: errand.work(task, worker) } }
    })
    let level = 0
    do {
      const { length } = branches
      branches = bosses(++level, branches)
      sizes.push(branches.length)
      // Shards of one task summarize nothing.
      if (branches.length >= length) break
    } while (branches.length > queueMax)
    const ended = yield* fulfil(top, branches)
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const refused = yield* takeOver(level, Object.keys(ended.results), root)
    return Ending.stopped(refused) ?? Ending.reached(ended.results)
  })
  const made: HierarchyRun<R> = {
    run,
    kill: Effect.fnUntraced(function* (task) {
      for (const crew of crews.values()) if (yield* crew.kill(task)) return true
      return false
    })
  }
  return made
})

/** The end of no orders at all. */
const nothing: Crew.CrewEnd = { _tag: "Done", results: {} }

/** The end of several orders: an outcome that stops the run, tasks about which a person is asked, or the results. */
const endOfAll = (ends: ReadonlyArray<Crew.CrewEnd>): Crew.CrewEnd => {
  const stopped = ends.find((ended) => ended._tag === "Stopped")
  if (stopped !== undefined) return stopped
  const asked = ends.filter((ended) => ended._tag === "Asked")
  if (asked.length > 0) {
    const errors = Object.fromEntries(asked.flatMap((ended) => Object.entries(ended.errors)))
    return { _tag: "Asked", tasks: asked.flatMap(({ tasks }) => tasks), errors }
  }
  const results = ends.flatMap((ended) => (ended._tag === "Done" ? Object.entries(ended.results) : []))
  return { _tag: "Done", results: Object.fromEntries(results) }
}
