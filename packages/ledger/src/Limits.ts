/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Snapshots of which one is whole, where the others are differences. */
  snapshotsPerWhole: 16,
  /** Cost of the work that a crash may lose before a snapshot is due. */
  snapshotCostMax: 10,
  /** Snapshots of which one is whole under the dial `auto`. */
  autoSnapshotsPerWhole: 50,
  /** Tokens that a crash may lose under the dial `auto` before a snapshot is due. */
  autoTokensMax: 1000,
  /** Ticks that a new process may have to fold under the dial `auto`, at a tenth of a millisecond each. */
  autoFoldedTicksMax: 96,
  /**
   * The number of ticks that a process has to commit itself before it writes a snapshot that an earlier process left
   * due.
   */
  ownTicksMin: 8
} as const
