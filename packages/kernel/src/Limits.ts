/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide which bytes are committed, or what a trace means. They change with the decision rules alone. */
export const deciding = {
  /** Sends of one request, including the first one, after which a person has to decide whether it is sent again. */
  sendsMax: 8,
  /** The time in which a sender sends and waits for an answer. Set by `times.sendWithin`. */
  sendWithinMillis: 30_000,
  /** The time to settle of a tool whose status can be asked for. Set by `times.settleAfter`. */
  settleAfterMillis: 6000,
  /**
   * Multiples of the time to settle after which the status of a request is not asked for again. Set by
   * `status.within`.
   */
  settleTimesMax: 10,
  /**
   * Lessons (facts about other runs) with which a command is decided again. After so many it ends with those that it
   * has.
   */
  lessonsMax: 50,
  /**
   * Acts under way of which a guard is judged after every choice. Of more it is judged after all, each alone, and all
   * but each one.
   */
  guardActsMax: 6,
  /**
   * Characters of a field, or of an unreadable answer, that are kept as evidence. The result holds the whole record.
   */
  evidenceCharactersMax: 500
} as const
