/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside and is larger. */
export const refusing = {
  /** Transitions of one run. */
  runTransitionsMax: 2 ** 24 - 1
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time for which a store waits for a process that holds the lock of its file. Set by `lockTimeoutMillis`. */
  lockWaitMillisMax: 5000,
  /** The time between two attempts to open or read a file of which another process holds the lock. */
  lockLookMillis: 10,
  /** The first wait between two attempts to commit to a locked file; each next wait is twice as long. */
  commitLookMillisMin: 1,
  /** The longest wait between two attempts to commit to a locked file. */
  commitLookMillisMax: 25,
  /** Batches of commits between two rounds of the event loop, of which each takes a tenth of a commit. */
  batchesPerTurn: 8,
  /** Bytes of a page of a new file: rows of a kilobyte leave a quarter of a smaller one empty. */
  filePageBytes: 8192,
  /** Bytes of the log of a new file before they are copied into it: a short log is soon reused, and flushed faster. */
  fileLogBytes: 2 << 20,
  /** The time between two looks of a follower at a file. */
  fileLookMillis: 50,
  /** Connections of a trace store to Postgres. Set by `connectionsMax`. */
  connectionsMax: 10,
  /** Connections of a vault to Postgres. */
  vaultConnectionsMax: 2,
  /** Connections of leases to Postgres. */
  leaseConnectionsMax: 1,
  /** The time between two looks of a follower at Postgres, and between two attempts to listen to it. */
  serverLookMillis: 1000,
  /** The time between two announcements of a writer where somebody listens. */
  announcementMillis: 50,
  /** The time between two announcements of a writer where nobody listens. */
  unheardMillis: 1000,
  /** Runs that one announcement names: its payload has less than 8,000 bytes, and a key at most 16 digits. */
  announcedRunsMax: 400,
  /** Attempts at a commit to Postgres that loses to others of the same names each time. */
  appendAttemptsMax: 10,
  /** Transitions of a commit that one prepared statement makes. */
  statementRowsMax: 8,
  /** Names that a commit of one prepared statement takes. */
  statementNamesMax: 4,
  /** Rows that are read from the tables at a time. */
  scannedRowsMax: 512
} as const
