/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Edits between two runs that are paired exactly; others are paired more coarsely, in bounded time. */
  alignedEditsMax: 1000,
  /** Steps of a causal chain. Set by `limit`. */
  causalStepsMax: 20,
  /** Folds of a search for contributors for each halving of the ticks up to the onset. Set by `budget`. */
  foldsPerHalving: 20,
  /** Ticks between the states that a search for contributors keeps, to fold on from there. */
  keptStateTicks: 64
} as const
