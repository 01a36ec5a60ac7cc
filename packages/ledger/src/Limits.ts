/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Levels of a nested answer in which it is read whether an act was done. What lies deeper says nothing. */
  answerLevelsMax: 8
} as const
