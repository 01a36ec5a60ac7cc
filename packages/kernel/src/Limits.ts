/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the decision rules alone. */
export const deciding = {
  /** Sends of one request, the first one included, before a person has to decide whether it is tried again. */
  sendsMax: 8,
  /** The time in which a sender sends and awaits an answer. Set by `times.sendWithin`. */
  sendWithinMillis: 30_000,
  /** The time to settle of a tool whose status is asked for. Set by `times.settleAfter`. */
  settleAfterMillis: 6000,
  /** Times to settle after which the status of a request is not asked for again. Set by `status.within`. */
  settleTimesMax: 10,
  /** Lessons that a command takes before it ends with those that it has. */
  lessonsMax: 50,
  /** Characters of a field, or of an unreadable answer, that are kept as evidence. The result holds the record. */
  evidenceCharactersMax: 500
} as const
