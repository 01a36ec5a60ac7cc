/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Snapshots of which one is whole, where the others are differences. */
  snapshotsPerWhole: 16,
  /** Work that a crash may lose before a snapshot is due, in the unit of whoever counts it. */
  snapshotCostMax: 10,
  /** Snapshots of which one is whole under the dial `auto`. */
  autoSnapshotsPerWhole: 50,
  /** Tokens that a crash may lose under the dial `auto` before a read. */
  autoTokensMax: 1000,
  /** Ticks that a fresh process folds under the dial `auto`: it takes a tenth of a millisecond for each. */
  autoFoldedTicksMax: 96,
  /**
   * The number of ticks that a process has to commit itself before it writes a snapshot that an earlier process left
   * due.
   */
  ownTicksMin: 8
} as const
