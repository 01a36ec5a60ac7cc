/**
 * Instances of subtasks: the unit that is rolled back.
 *
 * A skeleton is a template, and a task may enter it several times: for several entities, or for one entity again
 * after it was left. The ordinal tells these apart. Without it, a failure of the second occurrence would restore the
 * first.
 *
 * @source DART, definition 4
 */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"

/** One occurrence of a skeleton for an entity: the first has the ordinal 0. */
export interface Instance {
  readonly skeleton: string
  readonly entity: Json
  readonly ordinal: number
}

/** Names an instance uniquely. */
export const idOf = ({ entity, ordinal, skeleton }: Instance): string => Canonical.encode([skeleton, entity, ordinal])

/** Names all occurrences of a skeleton for one entity. */
export const familyOf = ({ entity, skeleton }: Pick<Instance, "entity" | "skeleton">): string =>
  Canonical.encode([skeleton, entity])

/** Shows an instance as `skeleton::entity::ordinal`, for people. */
export const show = ({ entity, ordinal, skeleton }: Instance): string =>
  `${skeleton}::${typeof entity === "string" ? entity : Canonical.encode(entity)}::${ordinal}`
