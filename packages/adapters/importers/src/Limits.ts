/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Characters of the name that an import gives to a run. A number has to fit behind them. */
  importNameCharactersMax: 180
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Bytes of a file that are read to recognise its format. */
  guessedBytesMax: 1 << 20,
  /** Bytes of decompressed text that are read to recognise the format of a file. */
  guessedTextBytesMax: 1 << 24,
  /**
   * Characters of imported runs that are kept in memory until all runs are checked. If there are more, each run is
   * made twice.
   */
  keptCharactersMax: 1 << 23
} as const
