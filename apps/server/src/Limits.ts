/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Bytes of the body of a request, except an import, which has a limit of its own. */
  bodyBytesMax: 1 << 20,
  /** The time in which a request has to arrive whole. */
  requestMillisMax: 30_000,
  /** The time in which a request is answered. A stream and an export have no limit. */
  answerMillisMax: 60_000,
  /** The time in which the store has to answer for the server to be ready. */
  readyMillisMax: 2000,
  /** Requests in a second, on average, of a key, or of an address without one. Set by `BACKSTITCH_RATE`. */
  requestsPerSecond: 50,
  /** Seconds of requests that may come at once, after a pause. */
  burstSecondsMax: 4,
  /** Callers whose rates are kept in memory, and keys that were recognised before. */
  ratedCallersMax: 10_000,
  /** Levels that the JSON body of a request may nest: what a trace can carry, and what a request puts around it. */
  bodyLevelsMax: 1000,
  /** Questions of one tenant that wait for a worker. */
  waitingQuestionsMax: 32,
  /** Workers that may be set. */
  setWorkersMax: 64,
  /** Proxies that may be set. */
  setProxiesMax: 8,
  /** Streams of events that one key may have open. */
  keyStreamsMax: 16,
  /** Streams of events that the keys of one tenant may have open: an eighth is left to the others. */
  tenantStreamsMax: 896,
  /** Streams of events that one process has open. */
  streamsMax: 1024,
  /** Seconds by which the clock of an identity provider may differ from that of the server. */
  identityClockSecondsMax: 5,
  /** The longest time for which the answers of writes may be set to be kept. */
  answerKeptMillisMax: 31_622_400_000
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time after which a caller may come again that has asked too much. A header gives it in whole seconds. */
  comeAgainMillis: 1000,
  /** The time for which requests under way are waited for when the server stops. */
  drainMillisMax: 10_000,
  /**
   * The time after which a connection without a request is closed. It is longer than the minute of most proxies, which
   * would else send a request on a connection that is being closed.
   */
  connectionIdleMillis: 75_000,
  /** The time after which a stream without commits looks at its key, and sends a comment, so that nothing cuts it. */
  streamBeatMillis: 5000,
  /** The time in which a reader has to take what was written to it. After that its stream is cut. */
  streamStallMillisMax: 60_000,
  /** The time after which a stream ends, and its reader goes on with another one. */
  streamMillisMax: 3_600_000,
  /** The time for which a place among the commits of all runs is kept after the last reader has stood there. */
  cursorKeptMillis: 86_400_000,
  /** Events that a stream writes at once. The next ones are written when the connection has taken these. */
  streamEventsMax: 32,
  /** The time in which an identity provider has to answer. */
  identityMillisMax: 5000,
  /** Connections to Postgres for what is asked of all tenants at once, such as the keys of callers. */
  hostConnectionsMax: 3,
  /** Connections of a worker to Postgres for what callers ask. */
  workerConnectionsMax: 3,
  /** Connections to Postgres for the leases of all tenants. */
  tenantLeaseConnectionsMax: 2,
  /** The time for which what was read is remembered for a tenant that asks for nothing. */
  tenantIdleMillis: 60_000,
  /** Workers that answer questions which cost processor time. Set by `BACKSTITCH_WORKERS`. */
  questionWorkersMax: 2,
  /** Bodies of questions that are held in memory. Others are read after those. */
  heldBodiesMax: 4,
  /** The time after which a worker that is asked nothing ends. */
  workerIdleMillis: 60_000,
  /** The time in which a worker has to notice that its caller has gone. After that it is ended. */
  workerGiveUpMillis: 1000,
  /** The time between two readings of the gauges of the process. */
  gaugeMillis: 5000,
  /** The time between two looks for answers of writes whose time is over. */
  expiryMillis: 60_000,
  /** The time between two looks for places in feeds whose time is over. */
  cursorExpiryMillis: 3_600_000,
  /** The time for which a stream relies on a look at its key that another stream of the key has made. */
  keyLookMillis: 100,
  /** Events of a run that are kept for all of its readers; twice as many at most. */
  sharedEventsMax: 128,
  /** Reopened streams ask again after this time. */
  streamRetryMillis: 1000,
  /** The time after which a failure of the store is logged again for the same reason. */
  storeFaultMillis: 60_000
} as const
