/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Scopes in which a function of a pack is tried before it is taken for pure. */
  purityScopesMax: 12
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Paths of predicates that are kept taken apart. */
  latchPathsMax: 4096,
  /** Sections that were digested last, one for each set of names of fields, kept for the next one like it. */
  writtenSectionsMax: 16
} as const
