/**
 * Finds the agent that a message is for where its text alone says so: `Tester: please run the tests`.
 *
 * A name before a colon is often a quotation. So it counts only in the words of a boss, and if it is the name of an
 * agent that speaks in the trace itself. A boss is the one agent of a trace that begins messages so: at least two of
 * them, and at least half of all that it says. Nothing is read into a trace in which a message names its addressee, or
 * that has memos.
 */
import * as Limits from "../Limits.ts"
import type { Said, TopologyEvent } from "./TopologyEvent.ts"

/** Adds the addressees to messages that name them in their text. */
export const within = (events: ReadonlyArray<TopologyEvent>): ReadonlyArray<TopologyEvent> => {
  const said = events.filter((event) => event._tag === "Said")
  if (said.some(({ to }) => to !== undefined) || events.some(({ _tag }) => _tag === "Noted")) return events
  const agents = new Map(said.flatMap(({ agent }) => (agent === undefined ? [] : [[agent.toLowerCase(), agent]])))
  const toOf = ({ agent, text }: Said): string | undefined => {
    const [, name = ""] = /^\s*@?([^\n:]{1,80}):\s/.exec(text) ?? []
    const to = agents.get(name.trim().toLowerCase())
    return to === agent ? undefined : to
  }
  const bosses = new Set(said.flatMap((event) => (toOf(event) === undefined ? [] : [event.agent])))
  const [boss] = bosses
  const ofBoss = said.filter(({ agent }) => agent === boss)
  const orders = ofBoss.filter((event) => toOf(event) !== undefined).length
  const isBoss = orders >= Limits.pacing.addressedMessagesMin && 2 * orders >= ofBoss.length
  if (boss === undefined || bosses.size > 1 || !isBoss) return events
  return events.map((event) => {
    const to = event._tag === "Said" ? toOf(event) : undefined
    return to === undefined ? event : { ...event, to }
  })
}
