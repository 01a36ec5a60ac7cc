/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Transitions of one run. */
  runTransitionsMax: 2 ** 24 - 1
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time for which a store waits for a process that holds the lock of its file. Set by `lockTimeoutMillis`. */
  lockWaitMillisMax: 5000,
  /** The time between two attempts to open or read a file while another process holds its lock. */
  lockLookMillis: 10,
  /** The first wait between two attempts to commit to a locked file. Each next wait is twice as long. */
  commitLookMillisMin: 1,
  /** The longest wait between two attempts to commit to a locked file. */
  commitLookMillisMax: 25,
  /** Batches of commits between two turns of the event loop. A turn takes a tenth of the time of a commit. */
  batchesPerTurn: 8,
  /** Turns of the event loop that a commit waits for at most, while several runs write and each turn brings a write. */
  gatheringTurnsMax: 4,
  /** Bytes of a page of a new file. In a smaller page, rows of a kilobyte leave a quarter of the space empty. */
  filePageBytes: 8192,
  /**
   * Bytes of the log of a new file after which they are copied into the file. A short log is soon reused, and flushed
   * faster.
   */
  fileLogBytes: 2 << 20,
  /** The time between two checks of a file by a follower. */
  fileLookMillis: 50,
  /** Runs of which a store remembers their row and their parent, which never change. */
  rememberedRunsMax: 20_000,
  /** Connections of a trace store to Postgres. Set by `connectionsMax`. */
  connectionsMax: 10,
  /** Connections of a vault to Postgres. */
  vaultConnectionsMax: 2,
  /** Connections of notes to Postgres. */
  noteConnectionsMax: 2,
  /** Connections of the keys of callers, and of the answers of writes, to Postgres. */
  callerConnectionsMax: 2,
  /** Connections of leases to Postgres. */
  leaseConnectionsMax: 1,
  /** Connections to Postgres that all tenants of a program share. Further statements wait. Set by `connectionsMax`. */
  sharedConnectionsMax: 20,
  /** Connections that one tenant has of those, if there are more. Set by `tenantConnectionsMax`. */
  tenantConnectionsMax: 10,
  /** The time after which a connection for tenants that nobody takes is closed; at most twice as long. */
  sharedConnectionIdleMillis: 30_000,
  /** The time between two checks of Postgres by a follower, and between two attempts to listen to it. */
  serverLookMillis: 1000,
  /** The time for which a store goes on to listen after its last follower. */
  listeningIdleMillis: 5000,
  /** The time between two announcements of a writer if somebody listens. */
  announcementMillis: 50,
  /** The time between two announcements of a writer if nobody listens. */
  unheardMillis: 1000,
  /**
   * Runs that one announcement names. The payload of an announcement has less than 8,000 bytes, and a key at most 16
   * digits.
   */
  announcedRunsMax: 400,
  /** Attempts at a commit to Postgres, if each fails because another commit takes the same names first. */
  appendAttemptsMax: 10,
  /** Transitions in a commit that one prepared statement writes. */
  statementRowsMax: 8,
  /** Names that a commit with one prepared statement takes. */
  statementNamesMax: 4,
  /** Rows that are read from the tables at a time. */
  scannedRowsMax: 512
} as const
