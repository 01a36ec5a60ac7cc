/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits of what is shown. */
export const showing = {
  /** Characters of the canonical text of an output that are shown to a planner. */
  observedCharactersMax: 16_384
} as const
