/**
 * Reads memos out of what agents say to each other, for traces that were recorded elsewhere and have none.
 *
 * | in the trace | is read as |
 * | --- | --- |
 * | a message to another agent | the dispatch of a task, and a call of that agent |
 * | the next message of that agent | the report of its task, and the answer to the call |
 * | the next message of the one who asked | the collection of the report |
 * | messages of two agents that take turns | rounds: each message of the first one is a draft |
 *
 * Nothing is read into a trace that has memos of its own.
 */

import type * as Memo from "./Memo.ts"
import * as Origin from "./Origin.ts"
import type * as TopologyEvent from "./TopologyEvent.ts"

/** Adds the implied memos to events, each behind the event that implies it. */
export const within = (
  events: ReadonlyArray<TopologyEvent.TopologyEvent>
): ReadonlyArray<TopologyEvent.TopologyEvent> => {
  if (events.some((event) => event._tag === "Noted" && isCoordination(event.memo))) return events
  const isAddressed = events.some((event) => event._tag === "Said" && event.to !== undefined)
  return isAddressed ? withTasks(events) : withRounds(events)
}

/** A plan may come from another convention, and says nothing about handoffs. */
const isCoordination = ({ memo }: Memo.Malformed | Memo.Memo): boolean => memo !== "plan" && memo !== "step"

interface Ordered {
  readonly task: string
  readonly boss: string
}

const withTasks = (events: ReadonlyArray<TopologyEvent.TopologyEvent>): ReadonlyArray<TopologyEvent.TopologyEvent> => {
  const ordered = new Map<string, Ordered>()
  const waiting = new Map<string, Array<string>>()
  return events.flatMap((event): ReadonlyArray<TopologyEvent.TopologyEvent> => {
    const { agent, at, tick } = event
    if (event._tag !== "Said" || agent === undefined) return [event]
    const place = { agent, at, tick }
    const noted = (memo: Memo.Memo): TopologyEvent.TopologyEvent => ({ ...place, _tag: "Noted", memo })
    const collected = (waiting.get(agent) ?? []).map((task) => noted({ memo: "collect", task }))
    waiting.delete(agent)
    const { text, to } = event
    if (to !== undefined && to !== agent) {
      const task = ordered.get(to)?.boss === agent ? ordered.get(to)!.task : `said at ${tick}`
      ordered.set(to, { task, boss: agent })
      const call = { ...place, _tag: "Called", action: task, tool: `ask ${to}`, params: { brief: text } } as const
      return [event, ...collected, noted({ memo: "dispatch", task, worker: to, brief: text }), call]
    }
    const own = ordered.get(agent)
    if (own === undefined) return [event, ...collected]
    ordered.delete(agent)
    const reported = waiting.get(own.boss)
    if (reported === undefined) waiting.set(own.boss, [own.task])
    else reported.push(own.task)
    const answer = { ...place, _tag: "Answered", action: own.task, ok: true, output: text } as const
    return [event, ...collected, noted({ memo: "report", task: own.task, result: text }), answer]
  })
}

const withRounds = (events: ReadonlyArray<TopologyEvent.TopologyEvent>): ReadonlyArray<TopologyEvent.TopologyEvent> => {
  const speakers = events.flatMap((event) => (event._tag === "Said" && event.agent !== undefined ? [event.agent] : []))
  const [first] = speakers
  const doTakeTurns = speakers.every((agent, index) => index === 0 || agent !== speakers[index - 1])
  if (first === undefined || new Set(speakers).size !== 2 || !doTakeTurns) return events
  let round = 0
  return events.flatMap((event): ReadonlyArray<TopologyEvent.TopologyEvent> => {
    if (event._tag !== "Said" || event.agent !== first) return [event]
    round++
    const { agent, at, text, tick } = event
    return [event, { agent, at, tick, _tag: "Noted", memo: { memo: "round", round, draft: text } }]
  })
}

/**
 * Judges stages in hindsight, where a reader knows that the end was wrong: each agent in its turn is a stage, green
 * unless its last call failed, and the whole is red. Stages before the origin of the result are clean, and are left
 * out: what was wrong with it was not there yet. `task` is what people said, whose values tell nothing.
 */
export const judged = (
  events: ReadonlyArray<TopologyEvent.TopologyEvent>,
  task = ""
): ReadonlyArray<TopologyEvent.TopologyEvent> => {
  const last = events.findLast(({ _tag }) => _tag !== "Turned" && _tag !== "Escalated")
  if (last === undefined) return events
  const origin = Origin.of(events, task)
  const agents = new Map<string, string>()
  const stages = new Map<string, { red: boolean; tick: number; at: number }>()
  for (const [index, event] of events.entries()) {
    if (event._tag === "Called" && event.agent !== undefined) agents.set(event.action, event.agent)
    const agent = event.agent ?? (event._tag === "Answered" ? agents.get(event.action) : undefined)
    if (agent === undefined || index < (origin?.index ?? 0)) continue
    const stage = stages.get(agent) ?? { red: false, tick: event.tick, at: event.at }
    const red = event._tag === "Answered" ? !event.ok : stage.red
    // The stage at which the result came in is judged by what it handed on there.
    const here = stages.size <= 1 && origin?.agent === agent ? stage : event
    stages.set(agent, { red, tick: here.tick, at: here.at })
  }
  const gates = [...stages].map(([agent, { at, red, tick }]): TopologyEvent.TopologyEvent => {
    return { _tag: "Noted", agent, at, tick, memo: { memo: "gate", stage: agent, green: !red } }
  })
  const whole: TopologyEvent.TopologyEvent = {
    _tag: "Noted",
    at: last.at,
    tick: last.tick,
    memo: { memo: "gate", stage: "whole", green: false, whole: true }
  }
  return [...events, ...gates, whole]
}
