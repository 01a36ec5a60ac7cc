/**
 * The actions that a history has requested: a fact about any other is refused.
 *
 * @source docs/FORMAT.md, "Payloads"
 */
import type { Body } from "@backstitch/trace/Transition"

/**
 * Begins to follow a history from its first tick: each body in turn is refused, in words, where it is a fact about an
 * action that no body before it requested.
 */
export const follow = (): ((body: Body) => string | undefined) => {
  const requested = new Set<string>()
  return ({ action, type }) => {
    if (action === undefined || !type.startsWith("action.")) return undefined
    if (type === "action.request") requested.add(action.id)
    return requested.has(action.id) ? undefined : `${type} is about ${action.id}, which nothing before it requests`
  }
}
