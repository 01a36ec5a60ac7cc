/**
 * A hierarchy in an open run: a root, bosses below it, and leaves that work.
 *
 * Reports do not pass through the root one by one. What one level hands up is split into shards, none longer than the
 * queue that the topology allows, and each shard has a boss that collects and summarizes it. So the root takes over no
 * more than its queue, however many leaves there are. A level that is brought together stays so.
 *
 * @source Crash Recovery, six topologies and the diagnostic table
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Hierarchy from "@backstitch/topology/Hierarchy"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"

/** A task of a leaf, and what is to be done. */
export type LeafOrder = Pick<Crew.WorkOrder, "brief" | "task">

/** Results of one shard that its boss brings together. */
export interface Shard {
  readonly level: number
  readonly shard: number
  readonly results: { readonly [task: string]: Json }
}

/** The errand of a hierarchy. The agent that has an order carries it out, and its calls are made in its name. */
export interface Errand<R = never> {
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

/** Prepares a hierarchy in an open run. Its agents end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: Errand<R>) {
  const { declared, summarize, tasks } = errand
  const root = Topology.agentOf(declared, "root")
  const top = yield* Crew.make(handle, { boss: root, declared })
  const crews = new Map<string, Crew.Crew>([[root, top]])
  const scope = yield* Scope.Scope
  const queueMax = Hierarchy.queueOf(declared)
  /** The number of shards by level, and those that were taken over by the level above. */
  const sizes: Array<number> = []
  const brought = new Map<number, Set<string>>()

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

  /** Notes that tasks of a level were taken over; the level is brought together with its last one. */
  const broughtIn = Effect.fnUntraced(function* (level: number, members: ReadonlyArray<string>, agent: string) {
    const of = sizes[level - 1]
    if (of === undefined) return undefined
    const known = brought.get(level) ?? new Set()
    for (const member of members) known.add(member)
    brought.set(level, known)
    if (known.size < of) return undefined
    return yield* commit(handle, { memo: "aggregate", level, of }, { agent, command: `level ${level}` })
  })

  /** The orders of one level, each the work of a boss on its shard of the level below. */
  const shardOrders = Effect.fnUntraced(function* (level: number, below: ReadonlyArray<Crew.WorkOrder<R>>) {
    const shards = Hierarchy.shards(
      below.map(({ task }) => task),
      declared
    )
    const orders: Array<Crew.WorkOrder<R>> = []
    for (const [index, members] of shards.entries()) {
      const worker = bossOf(level, index + 1)
      const crew = yield* crewOf(worker)
      const mine = below.filter(({ task }) => members.includes(task))
      const work = Effect.gen(function* () {
        const ended = yield* crew.fulfil(mine)
        if (ended._tag === "Stopped") return yield* Effect.fail(waiting(ended.outcome))
        if (ended._tag === "Asked") return yield* Effect.fail(new Error(lost(ended)))
        const refused = yield* broughtIn(level - 1, members, worker)
        if (refused !== undefined) return yield* Effect.fail(waiting(refused))
        return yield* summarize({ level, shard: index + 1, results: ended.results }, worker)
      })
      const task = `level ${level}, shard ${index + 1}`
      orders.push({ task, worker, brief: `Bring ${members.join(", ")} together`, work })
    }
    return orders
  })

  const run = Effect.gen(function* () {
    let orders: ReadonlyArray<Crew.WorkOrder<R>> = tasks.map((task, place) => {
      const worker = leafOf(place)
      return { ...task, worker, work: errand.work(task, worker) }
    })
    let level = 0
    do {
      const { length } = orders
      orders = yield* shardOrders(++level, orders)
      sizes.push(orders.length)
      // Shards of one task bring nothing together.
      if (orders.length >= length) break
    } while (orders.length > queueMax)
    const ended = yield* top.fulfil(orders)
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const refused = yield* broughtIn(level, Object.keys(ended.results), root)
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

const waiting = (outcome: Crew.Waiting["outcome"]): Crew.Waiting => ({ _tag: "Waiting", outcome })

/** The tasks that nobody has handed in, each with the last error of its worker. */
const lost = ({ errors, tasks }: Crew.Ended & { readonly _tag: "Asked" }): string => {
  const named = tasks.map((task) => (Object.hasOwn(errors, task) ? `${task} (${errors[task]})` : task))
  return `nobody has handed in ${named.join(", ")}`
}
