/**
 * The actions that a history has requested. A fact about any other action is refused.
 *
 * @source docs/FORMAT.md, "Payloads"
 */
import type { Body } from "@backstitch/trace/Transition"

/**
 * Follows a history from its first tick. A body is refused, in words, if it is a fact about an action that no earlier
 * body requested.
 */
export const follow = (): ((body: Body) => string | undefined) => {
  const requested = new Set<string>()
  return ({ action, type }) => {
    if (action === undefined || !type.startsWith("action.")) return undefined
    if (type === "action.request") requested.add(action.id)
    return requested.has(action.id) ? undefined : `${type} is about ${action.id}, which nothing before it requests`
  }
}
