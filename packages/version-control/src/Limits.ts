/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Edits between two runs that are found exactly. Beyond that number the pairing is coarser, in bounded time. */
  alignedEditsMax: 1000,
  /** Steps of a causal chain. Set by `limit`. */
  causalStepsMax: 20,
  /** Folds of a search for contributors, for each halving of the ticks up to the onset. Set by `budget`. */
  foldsPerHalving: 20,
  /** Ticks between two states that a search for contributors keeps. It continues folding from these states. */
  keptStateTicksMax: 64
} as const
