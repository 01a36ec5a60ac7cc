/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Levels that a recorded value may nest. A deeper value would overflow the stack of some readers. */
  recordedLevelsMax: 100,
  /** Characters and values of an answer of a tool, added up. */
  answerCharactersMax: 1_048_576,
  /** Characters of a reason of a tool or a provider that are recorded; the rest is cut off. */
  reasonCharactersMax: 2000,
  /** Bytes of a pack, or of a file with a function of it. Any text that a person can review is far smaller. */
  packBytesMax: 8 * 2 ** 20,
  /** Bytes of a file that is read in, as stored on the disk. Set by `file` of `SourceFile.Limits`. */
  fileBytesMax: 64 * 2 ** 20,
  /** Bytes of the text of a file that is read in, decompressed. Set by `text` of `SourceFile.Limits`. */
  textBytesMax: 64 * 2 ** 20,
  /** Bytes of text for each byte of a compressed file that is read in. Set by `ratio` of `SourceFile.Limits`. */
  unpackedRatioMax: 250,
  /** Bytes of text below which the ratio of a compressed file is not checked. */
  smallTextBytesMax: 8 * 2 ** 20,
  /** Bytes of one line of a file that is read in. Set by `line` of `SourceFile.Limits`. */
  lineBytesMax: 32 * 2 ** 20,
  /** Values in one line, or one document, of a file that is read in. Set by `values` of `SourceFile.Limits`. */
  documentValuesMax: 1_000_000,
  /** Bytes of a delivery that is received over HTTP. */
  deliveryBytesMax: 1_000_000,
  /** Characters of the answer of a witness. A valid one has a few lines. */
  witnessCharactersMax: 64 * 2 ** 10,
  /** States of one sample on which a function has to prove that it is pure. */
  pureStatesMax: 40
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Steps of one loop of an agent, with a proposal each. This limit stops a planner that never ends. */
  loopStepsMax: 10_000,
  /** Refusals in a row after which a planner is not asked again: it does not read why. */
  refusalsMax: 100,
  /** Plans of one run, after which a person is asked. More of them meet the same obstacle again. */
  plansMax: 5,
  /** Workers of a topology that are at work at the same time. Other orders wait, and are not given before. */
  workersMax: 32,
  /**
   * The time without a sign of a role, after which a topology without `silence` notes that it waits for it. Each next
   * note comes after twice the time.
   */
  waitNoteMillis: 600_000,
  /** Used keys of a run of which the last is compared with the secret before the run is gone on with. */
  keysComparedMax: 32,
  /** Red gates of a pipeline, after which a person is asked. */
  passesMax: 6,
  /** The time for which a lease of a run lasts if it is not renewed. */
  leaseMillis: 10_000,
  /** Renewals within the time for which a lease lasts. More than one, so that a failed one costs no lease. */
  leaseRenewalsMin: 3,
  /** The time between two checks of a lease that another process holds. */
  leaseLookMillis: 250,
  /** The time in which a witness has to answer. */
  witnessMillis: 10_000,
  /** The longest time for which a settlement waits for the next commit of its run. */
  stagedMillisMax: 5,
  /** Conflicts of a commit with those of other processes, after which it fails. */
  conflictsMax: 50,
  /** The time after which an append is repeated if its answer was lost. */
  lostAppendMillis: 20,
  /** The first wait before another repetition of a lost append. Each next wait is twice as long. */
  lostAppendRetryMillis: 40,
  /** Further repetitions of a lost append. */
  lostAppendRetriesMax: 3,
  /** The time after which a lost feed is opened again. */
  feedRetryMillis: 1000,
  /**
   * The difference that a clock may gain between two readings without counting as a leap: clocks are adjusted all the
   * time.
   */
  clockGainMillisMax: 250,
  /** Leaps of a clock that are kept in memory. A clock that leaps more often is useless. */
  clockLeapsMax: 64,
  /** The time for which the name of a write is held that was begun and not answered. */
  writeHeldMillis: 120_000,
  /** The time for which the answer of a write is kept for a repeated request. Set by `RepeatedWrites.KeepMillis`. */
  answerKeptMillis: 86_400_000,
  /** Tenants of which a process keeps the last note of a cursor in memory. */
  cursorTenantsMax: 64,
  /** Characters of a cursor over all runs of a tenant, beyond which its places are noted anew. */
  cursorLengthMax: 600,
  /** Answers whose time is over that one statement deletes. */
  expiredAnswersMax: 500,
  /** Characters of the last transitions of an open run that its process keeps, so that it need not read them again. */
  ownTransitionsCharactersMax: 2 ** 18,
  /** Transitions, or runs, that are read from the store at a time. */
  pageRowsMax: 1000,
  /** Characters of an export that are written at once: a pipe that gets single lines is slow. */
  exportBlockCharactersMin: 2 ** 16,
  /** Transitions of one commit of an import: small enough for every store, and large enough to share a flush. */
  commitTransitionsMax: 512,
  /** Runs that are read, or imported, at the same time. */
  concurrentRunsMax: 8,
  /** Nodes of tables and lists that are kept in memory for the next state that shares them. */
  cachedNodesMax: 100_000,
  /** Nodes of tables and lists that a process remembers as stored, so that it does not store them again. */
  storedNodesMax: 100_000,
  /** Runs of a feed whose last state is kept. */
  followedStatesMax: 64,
  /** Ticks since the last snapshot from which a closing run keeps another snapshot. */
  closingTicksMin: 32,
  /** Ticks that are folded for the variations of one sample of a predicate. */
  variedTicksMax: 100_000,
  /** Variations of one sample of a predicate. */
  variationsMax: 100,
  /** Ticks on either side of an onset that a causal chain covers. */
  causalTicksMax: 250
} as const

/** Limits of what is shown. */
export const showing = {
  /** The time after which an action counts as pending too long. Set by `pendingMillisMax`. */
  pendingMillisMax: 300_000,
  /** Characters of a value in an explanation. */
  explainedCharactersMax: 200,
  /** Runs that are named with a pack under which they began. */
  packRunsMax: 100
} as const
