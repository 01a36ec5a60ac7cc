/**
 * The id of an action: it is named after the tick of its request, which is where a reader of a trace finds it.
 *
 * **Example** (The request of an action)
 *
 * ```ts import.meta.vitest
 * import { ActionId } from "@backstitch/trace"
 *
 * ActionId.at(7) // => "a7"
 * ActionId.tickOf("a7") // => 7
 * ActionId.tickOf("seven") // => undefined
 * ```
 */
import type { Tick } from "./Transition.ts"

/** Names the action that is requested at a tick. */
export const at = (tick: Tick): string => `a${tick}`

/** Finds the tick of the request of an action; `undefined` for an id that no request has. */
export const tickOf = (id: string): Tick | undefined => {
  const [, tick] = /^a([1-9][0-9]*)$/.exec(id) ?? []
  return tick === undefined ? undefined : Number(tick)
}
