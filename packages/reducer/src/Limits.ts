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
  writtenSectionsMax: 16,
  /** Snapshots per whole snapshot under the dial `auto`. */
  autoSnapshotsPerWhole: 50,
  /** Tokens that a crash may lose under the dial `auto`; when they are exceeded, a snapshot is due. */
  autoTokensMax: 1000,
  /** Ticks that a new process may have to fold under the dial `auto`. Each takes a tenth of a millisecond. */
  autoFoldedTicksMax: 96,
  /**
   * The number of ticks that a process has to commit itself before it writes a snapshot that an earlier process left
   * due.
   */
  ownTicksMin: 8
} as const
