/**
 * Finds where a result that is known to be wrong came from: the first place at which one of its values appears.
 *
 * A value is a number of two digits at least, or a word that looks like a name: a path, an id, an acronym. Values that
 * the task itself gave tell nothing. In a chain of agents each trusts the one before, so the agent that brought a value
 * in is the first suspect; the agents behind it worked on what they were given. What a call answers was brought in by
 * who called.
 *
 * A heuristic: a wrong result may have no such value, or be wrong for another reason.
 *
 * @source Crash Recovery, pipeline crash profile: "stage A emits subtly wrong data. B trusts it"
 */

import * as AnswerText from "./AnswerText.ts"
import type { TopologyEvent } from "./TopologyEvent.ts"

/** The place at which a value of the result appears first. */
export interface Origin {
  readonly index: number
  readonly tick: number
  readonly agent: string | undefined
  readonly value: string
}

/** Values of a text, each once; thousands are written without separators. */
export const valuesIn = (text: string): ReadonlySet<string> => {
  const plain = text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, "")
  const numbers = plain.match(/\d+(?:\.\d+)?/g) ?? []
  const acronyms = plain.match(/\b\p{Lu}{3,}\b/gu) ?? []
  return new Set([
    ...numbers.filter((number) => number.replace(".", "").length >= 2),
    ...acronyms.filter((word) => !closing.has(word)),
    ...AnswerText.objectsIn(plain).filter((word) => /\p{L}/u.test(word) && /\d/.test(word))
  ])
}

/** Words by which agents end a conversation, and that are no part of its result. */
const closing: ReadonlySet<string> = new Set(["DONE", "END", "EXIT", "FINISH", "FINISHED", "STOP", "TERMINATE"])

/**
 * Finds the origin of the last result that an agent told. `undefined` if it has no value of its own.
 *
 * **Example** (A figure that nobody has looked up)
 *
 * ```ts import.meta.vitest
 * import { Origin } from "@backstitch/topology"
 *
 * const said = (tick: number, agent: string, text: string) => ({ _tag: "Said", tick, at: 0, agent, text }) as const
 * const chat = [
 *   said(2, "planner", "let us count the people of both towns in 2020"),
 *   said(3, "expert", "they have 737,015 and 4,965"),
 *   said(4, "writer", "the difference is 732050: 737015 - 4965")
 * ]
 * Origin.of(chat, "how many more people had Seattle in 2020?")?.agent // => "expert"
 * ```
 */
export const of = (events: ReadonlyArray<TopologyEvent>, task: string): Origin | undefined => {
  const given = valuesIn(task)
  const result = events
    .flatMap((event) => (event._tag === "Said" ? [valuesIn(event.text)] : []))
    .findLast((values) => values.size > 0)
  const wanted = new Set([...(result ?? [])].filter((value) => !given.has(value)))
  if (wanted.size === 0) return undefined
  const agents = new Map<string, string>()
  for (const [index, event] of events.entries()) {
    if (event._tag === "Called" && event.agent !== undefined) agents.set(event.action, event.agent)
    const agent = event.agent ?? (event._tag === "Answered" ? agents.get(event.action) : undefined)
    const value = [...valuesIn(textOf(event))].find((each) => wanted.has(each))
    if (value !== undefined) return { index, tick: event.tick, agent, value }
  }
  return undefined
}

const textOf = (event: TopologyEvent): string => {
  switch (event._tag) {
    case "Answered":
      return AnswerText.of(event.output)
    case "Called":
      return AnswerText.of(event.params)
    case "Said":
      return event.text
    default:
      return ""
  }
}
