/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Runs of a store that stay open in a process although no call uses them. */
  openRunsMax: 32,
  /** Transitions, or runs, that are read at a time for an adapter. */
  factRowsMax: 1_000
} as const
