/** The types of news of a run that people want to be told of. */
import * as Schema from "effect/Schema"

/** All types: an approval that waits, an action that is held, an incident about one, a violation, and the end. */
export const all = ["approval.requested", "action.held", "incident.opened", "violation.found", "run.ended"] as const

/** The type of news. */
export const NewsType = Schema.Literals(all)

/** The type of news. */
export type NewsType = typeof NewsType.Type
