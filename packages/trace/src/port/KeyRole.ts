/**
 * The roles of an API key, each of which may do all that the one before it may.
 *
 * A viewer reads. An operator begins, continues and branches runs. An approver also decides in the place of a person
 * whom a run asks. An admin also makes and revokes keys.
 */
import * as Schema from "effect/Schema"

/** The roles, from the one that may do least. */
export const all = ["viewer", "operator", "approver", "admin"] as const

/** A role of a key. */
export const KeyRole = Schema.Literals(all)

/** A role of a key. */
export type KeyRole = typeof KeyRole.Type

/** Tells whether a key of one role may do what asks for another. */
export const permits = (held: KeyRole, required: KeyRole): boolean => all.indexOf(held) >= all.indexOf(required)
