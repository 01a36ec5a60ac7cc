/**
 * The actions that a history has requested. A fact about any other action is refused.
 *
 * @source docs/FORMAT.md, "Payloads"
 */
import type { Body } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"

/** Error for a fact about an action that no earlier body requested. */
export class ActionUnrequested extends Schema.TaggedError<ActionUnrequested>("@backstitch/ledger/ActionUnrequested")(
  "ActionUnrequested",
  { action: Schema.String, type: Schema.String }
) {
  override get message(): string {
    return `${this.type} is about ${this.action}, which nothing before it requests`
  }
}

/** Follows a history from its first tick. A body is refused if it is about an action that no earlier body requested. */
export const follow = (): ((body: Body) => ActionUnrequested | undefined) => {
  const requested = new Set<string>()
  return ({ action, type }) => {
    if (action === undefined || !type.startsWith("action.")) return undefined
    if (type === "action.request") requested.add(action.id)
    return requested.has(action.id) ? undefined : new ActionUnrequested({ action: action.id, type })
  }
}
