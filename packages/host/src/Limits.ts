/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Endpoints of a tenant to which webhooks are sent. */
  webhookEndpointsMax: 20,
  /** Characters of the address of an endpoint. */
  webhookAddressCharactersMax: 2000
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Runs on which agents work at the same time in one process. Runs that wait are not counted. Set by `runsMax`. */
  workedRunsMax: 32,
  /** A tenant leaves one of so many places of a process to the others. Of fewer places it may have all. */
  placesPerOther: 8,
  /** The time that a run has, when its process gives it up, to end its turn. Set by `leaveMillis`. */
  leaveMillis: 10_000,
  /** The first wait before an action that is held as unknown is asked about again. Each next wait is twice as long. */
  heldAskFirstMillis: 60_000,
  /** The longest wait between two questions about an action that is held as unknown. */
  heldAskMillisMax: 86_400_000,
  /** The first wait after a store, a planner or a tool of a host has failed. Each next wait is twice as long. */
  workRetryFirstMillis: 500,
  /** The longest wait between two tries of the work on a run. */
  workRetryMillisMax: 30_000,
  /** Failures of the work on a run in a row, without a commit between them, after which a host gives the run up. */
  workFailuresMax: 8,
  /** The time between two looks whether a run that waits for an agent which a host lacks was taken by another one. */
  lackLookMillis: 30_000,
  /** The time between two looks for webhooks that are due. */
  webhookLookMillis: 1000,
  /** The first wait before a webhook that was not taken is sent again. */
  webhookRetryFirstMillis: 5000,
  /** The ratio of each wait between two attempts of a webhook to the one before. */
  webhookRetryFactor: 6,
  /** The longest wait between two attempts of a webhook. */
  webhookRetryMillisMax: 43_200_000,
  /** Attempts of a webhook, after which it is given up. */
  webhookAttemptsMax: 12,
  /** The time in which the endpoint of a webhook has to answer. */
  webhookAnswerMillis: 10_000,
  /** Webhooks that are sent at the same time. */
  webhooksAtOnceMax: 8,
  /** Notes that are read from the store at a time. */
  notePageMax: 500
} as const
