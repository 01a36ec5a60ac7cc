/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Bytes of the body of an OTLP request as it is sent. */
  spansBytesMax: 1 << 24,
  /** Bytes of the body of an OTLP request once it is unpacked. */
  spansTextBytesMax: 1 << 26,
  /** Spans of one OTLP request. */
  spansMax: 50_000,
  /** Values in the attributes of one OTLP request. */
  spanValuesMax: 1_000_000,
  /** Levels that an attribute of a span may nest. */
  spanLevelsMax: 64,
  /** Transitions of a run that grows by spans; later spans of its trace are refused. */
  liveTransitionsMax: 200_000,
  /** The time in which an OTLP request has to arrive. */
  spansMillisMax: 30_000,
  /** Connections that are open to an OTLP endpoint at the same time. */
  collectorConnectionsMax: 128,
  /** Bodies of OTLP requests that are read or committed at the same time; a sender is asked to come again. */
  collectorBodiesMax: 8,
  /** Spans of a process that wait for the store; further ones are dropped. */
  waitingSpansMax: 8_192,
  /** The time by which a span may be in the future; a later one has no time. */
  spanLeadMillisMax: 86_400_000
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Runs that grow by spans and are kept in memory for the next span. */
  liveRunsKeptMax: 256,
  /** Attempts to commit the spans of one trace while another process writes to its run. */
  spanAttemptsMax: 5,
  /** The time after which a span processor commits the spans that have ended. */
  spanFlushMillis: 200,
  /** The time after which a sender may come again. */
  sendAgainMillis: 1_000
} as const
