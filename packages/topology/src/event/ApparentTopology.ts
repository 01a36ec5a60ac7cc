/**
 * Tells which topology a trace looks like, from the memos in it, or else from the graph of who follows whom.
 *
 * | the trace has | it looks like |
 * | --- | --- |
 * | memos of a kind of their own: rounds, gates, loads, a plan | that topology |
 * | tasks that workers pass on | `hierarchical` |
 * | tasks | `orchestrator` |
 * | at most one agent | `react` |
 * | agents that speak to others by name, and one of them is spoken to | `hierarchical` |
 * | one agent that speaks to others by name | `orchestrator` |
 * | agents in a row, each with its turn | `pipeline` |
 * | two agents that take turns | `debate` |
 * | a tree with one agent inside, and leaves that only speak with it | `orchestrator` |
 * | a tree with several agents inside | `hierarchical` |
 *
 * All other traces look like none of the six.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import * as Graph from "effect/Graph"
import type { TopologyEvent } from "./TopologyEvent.ts"

/** A topology that a trace looks like, and the evidence: memos, tasks, or the order of agents. */
export interface Recognised {
  readonly kind: Topology.TopologyKind | undefined
  readonly by: "calls" | "handoffs" | "memos"
  /** Agents in the order of their first event. */
  readonly agents: ReadonlyArray<string>
}

/** Recognises the topology of a trace by its events. Implied memos do not count as memos. */
export const recognise = (events: ReadonlyArray<TopologyEvent>): Recognised => {
  const turns = turnsOf(events)
  const agents = [...new Set(turns)]
  const noted = byMemos(events)
  if (noted !== undefined) return { kind: noted, by: "memos", agents }
  if (agents.length <= 1) return { kind: "react", by: "calls", agents }
  return { kind: byNames(events) ?? byHandoffs(turns, agents), by: "handoffs", agents }
}

/** The agents in the order of their turns, neighbours differing; a message to another agent is a turn to it. */
const turnsOf = (events: ReadonlyArray<TopologyEvent>): ReadonlyArray<string> => {
  const turns: Array<string> = []
  const take = (agent: string | undefined): void => {
    if (agent !== undefined && agent !== turns.at(-1)) turns.push(agent)
  }
  for (const event of events) {
    take(event.agent)
    if (event._tag === "Said") take(event.to)
  }
  return turns
}

const byMemos = (events: ReadonlyArray<TopologyEvent>): Topology.TopologyKind | undefined => {
  const workers = new Set<string>()
  const bosses = new Set<string>()
  const kinds = new Set<string>()
  for (const event of events) {
    if (event._tag !== "Noted") continue
    kinds.add(event.memo.memo)
    if (event.memo.memo !== "dispatch") continue
    workers.add(event.memo.worker)
    if (event.agent !== undefined) bosses.add(event.agent)
  }
  if (kinds.has("round")) return "debate"
  if (kinds.has("gate")) return "pipeline"
  if (kinds.has("load") || kinds.has("aggregate")) return "hierarchical"
  if (kinds.has("dispatch")) return [...bosses].some((boss) => workers.has(boss)) ? "hierarchical" : "orchestrator"
  return kinds.has("plan") || kinds.has("step") ? "plan_execute" : undefined
}

/** Agents that give orders by name, if one of them is at the top. Two that speak to each other are equals. */
const byNames = (events: ReadonlyArray<TopologyEvent>): Topology.TopologyKind | undefined => {
  const orders = events.flatMap((event) =>
    event._tag === "Said" && event.agent !== undefined && event.to !== undefined && event.to !== event.agent
      ? [{ boss: event.agent, worker: event.to }]
      : []
  )
  const workers = Map.groupBy(orders, ({ boss }) => boss)
  const isOver = (boss: string, worker: string): boolean =>
    workers.get(boss)?.some((order) => order.worker === worker) === true
  const isMutual = orders.some(({ boss, worker }) => isOver(worker, boss))
  const below = [...workers.keys()].filter((boss) => orders.some(({ worker }) => worker === boss)).length
  if (isMutual || workers.size - below !== 1) return undefined
  return below === 0 ? "orchestrator" : "hierarchical"
}

const byHandoffs = (turns: ReadonlyArray<string>, agents: ReadonlyArray<string>): Topology.TopologyKind | undefined => {
  if (agents.length === turns.length && agents.length >= 3) return "pipeline"
  if (agents.length === 2) return turns.length >= 4 ? "debate" : undefined
  const graph = graphOf(turns, agents)
  if (!Graph.isTree(graph)) return undefined
  const inside = Graph.articulationPoints(graph).length
  return inside === 1 ? "orchestrator" : "hierarchical"
}

/** Agents are joined if one follows the other. */
const graphOf = (turns: ReadonlyArray<string>, agents: ReadonlyArray<string>) =>
  Graph.undirected<string, void>((mutable) => {
    const nodes = new Map(agents.map((agent) => [agent, Graph.addNode(mutable, agent)]))
    const joined = new Set<string>()
    for (const [index, agent] of turns.entries()) {
      const next = turns[index + 1]
      if (next === undefined) continue
      const edge = [agent, next].sort().join("\n")
      if (joined.has(edge)) continue
      joined.add(edge)
      Graph.addEdge(mutable, nodes.get(agent)!, nodes.get(next)!, undefined)
    }
  })
