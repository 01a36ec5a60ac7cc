/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Paths of predicates that are kept taken apart. */
  latchPathsMax: 4096,
  /** Sections that were digested last, one for each set of names of fields, kept for the next one like it. */
  writtenSectionsMax: 16,
  /** Scopes that a function of a pack is tried in, to see whether it is pure. */
  purityScopesMax: 12
} as const
