/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** States after which an exploration ends. Set by `statesMax`. */
  exploredStatesMax: 1_000_000
} as const
