/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the decision rules alone. */
export const deciding = {
  /** Sources that have to confirm a critical mutation. */
  criticalSourcesMin: 2
} as const

/** Limits of what is shown. */
export const showing = {
  /** Characters of the canonical text of an output that are shown to a planner. */
  observedCharactersMax: 16_384
} as const
