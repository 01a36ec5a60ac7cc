/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the decision rules alone. */
export const deciding = {
  /** Sends of one request before a person has to decide whether it is tried again, the first one included. */
  sendsMax: 8,
  /** The time in which a sender sends and awaits an answer. Set by `times.sendWithin`. */
  sendWithinMillis: 30_000,
  /** The time after which the status of a request is final, where it is asked for. Set by `times.settleAfter`. */
  settleAfterMillis: 6000,
  /** Times the time to settle for which the status of a request is asked for. Set by `status.within`. */
  settleTimesMax: 10,
  /** Lessons after which a command ends with what it knows. */
  lessonsMax: 50,
  /** Characters of a field, or of an unreadable answer, that are kept as evidence. The result holds the record. */
  evidenceCharactersMax: 500
} as const
