/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide which bytes are committed, or what a trace means. They change with the decision rules alone. */
export const deciding = {
  /** The first wait of a poll. Set by `poll.first`. */
  pollFirstMillis: 250,
  /** The ratio of each wait of a poll to the one before. Set by `poll.factor`. */
  pollFactor: 2,
  /** The longest wait of a poll. Set by `poll.max`. */
  pollMillisMax: 30_000,
  /** The time for which an action of moderate latency is read back after its answer. Set by `readback.within`. */
  moderateReadbackMillis: 5000,
  /** The longest wait between two readbacks of an action of moderate latency. Set by `readback.poll.max`. */
  moderatePollMillisMax: 2000,
  /** The time for which an action of asynchronous latency is read back after its answer. Set by `readback.within`. */
  asynchronousReadbackMillis: 60_000,
  /** The longest wait between two readbacks of an action of asynchronous latency. Set by `readback.poll.max`. */
  asynchronousPollMillisMax: 10_000,
  /** The longest wait between two readbacks of an action of synchronous latency. Set by `readback.poll.max`. */
  synchronousPollMillisMax: 1000,
  /** The time for which a step behind a pivot is attempted. Set by `within` of the step. */
  forwardStepMillis: 600_000,
  /**
   * The difference in age between a delivery and the present that is accepted, in either direction. Set by
   * `webhook.tolerance`.
   */
  webhookToleranceMillis: 300_000,
  /**
   * Digits after the point of an amount, also in the fold: more would keep rounding errors of floating-point numbers.
   */
  amountDigitsMax: 12
} as const

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Digits after the point that a field, or a budget of money, may declare. */
  fieldDigitsMax: 18,
  /** The longest time that the contract of a tool with synchronous latency may wait. */
  synchronousMillisMax: 10_000,
  /** The longest time that the contract of a tool with moderate latency may wait. */
  moderateMillisMax: 900_000
} as const

/** Limits of what is shown. */
export const showing = {
  /** The number of latest proposals over which progress is measured. Set by `progress.recent`. */
  recentProposalsMax: 20,
  /** Issues that are listed if a text is no YAML: the parser would find one in every line. */
  syntaxIssuesMax: 3
} as const
