/** The types of news of a run that people want to be told of. */
import * as Schema from "effect/Schema"

/** All types: an approval that waits, an action that is held, a violation, and the end of a run. */
export const all = ["approval.requested", "action.held", "violation.found", "run.ended"] as const

/** The type of news. */
export const NewsType = Schema.Literals(all)

/** The type of news. */
export type NewsType = typeof NewsType.Type
