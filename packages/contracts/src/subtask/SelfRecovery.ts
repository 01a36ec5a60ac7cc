/**
 * The recovery that an agent's loop carries out by itself after a failed call.
 *
 * A pack with the section `recovery` asks for it. A failed subtask goes back to its latest admissible checkpoint, and
 * the planner is asked again. Where no checkpoint is admissible, or the tries are used up, the run is held, or the task
 * is done again in a fork of its beginning.
 *
 * @source DART, sections 4.4 and 5.1
 */

/** The kinds of checkpoints that may be restored: up to the named one. */
export const policies = ["entry", "commit", "exit"] as const

/** Treatments of a run in which nothing may be restored: it is held, or its task is done again if that is safe. */
export const fallbacks = ["hold", "rerun"] as const

/**
 * The rules about subtasks that have read what a restored one wrote: they forbid every restore, or those alone that
 * take a value from them or undo an effect (the rule without a word about it).
 */
export const consumerRules = ["instance", "checkpoint"] as const

/** The recovery of one pack. `tries` bounds the restores of one subtask in a run. */
export interface SelfRecovery {
  readonly consumers?: (typeof consumerRules)[number]
  readonly policy: (typeof policies)[number]
  readonly tries: number
  readonly blocked: (typeof fallbacks)[number]
}

/** The recovery of a pack that asks for it and does not say more. */
export const standard: SelfRecovery = { policy: "commit", tries: 1, blocked: "hold" }
