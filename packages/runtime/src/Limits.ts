/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside and is larger. */
export const refusing = {
  /** Levels that a recorded value may nest: a deeper one would overflow the stack of some reader. */
  recordedLevelsMax: 100,
  /** Characters and values of an answer of a tool, together. */
  answerCharactersMax: 1_048_576,
  /** Characters of a reason of a tool or a provider that are recorded. */
  reasonCharactersMax: 2000,
  /** Bytes of a pack, and of a file with a function of it: what a reviewer reads is far smaller. */
  packBytesMax: 8 * 2 ** 20,
  /** Bytes of a file that is brought in, as it lies on the disk. Set by `BACKSTITCH_LIMITS=file=…`. */
  fileBytesMax: 64 * 2 ** 20,
  /** Bytes of the text of a file that is brought in, unpacked. Set by `BACKSTITCH_LIMITS=text=…`. */
  textBytesMax: 64 * 2 ** 20,
  /** Bytes of text for each byte of a packed file that is brought in. Set by `BACKSTITCH_LIMITS=ratio=…`. */
  textPerPackedByteMax: 250,
  /** Bytes of text up to which the ratio of a packed file does not count. */
  smallTextBytesMax: 8 * 2 ** 20,
  /** Bytes of one line of a file that is brought in. Set by `BACKSTITCH_LIMITS=line=…`. */
  lineBytesMax: 32 * 2 ** 20,
  /** Values in one line, or one document, of a file that is brought in. Set by `BACKSTITCH_LIMITS=values=…`. */
  documentValuesMax: 1_000_000,
  /** Characters of the answer of a witness. A valid one has a few lines. */
  witnessCharactersMax: 64 * 2 ** 10
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Proposals in one loop of an agent, so that a planner that never ends is stopped. */
  turnsMax: 10_000,
  /** The life of a lease of a run that is not renewed. Set by `ttlMillis`. */
  leaseMillis: 10_000,
  /** The time between two looks at a lease that another process holds. */
  leaseLookMillis: 250,
  /** The time in which a witness has to answer. */
  witnessMillis: 10_000,
  /** The time for which a settlement waits at most for the next commit of its run. */
  stagedMillisMax: 5,
  /** Attempts at a commit that loses to those of other processes each time. */
  conflictsMax: 50,
  /** The time after which an append is repeated of which the answer was lost. */
  lostAppendMillis: 20,
  /** The first wait between further repetitions of a lost append; each next wait is twice as long. */
  lostAppendRetryMillis: 40,
  /** Further repetitions of a lost append. */
  lostAppendRetriesMax: 3,
  /** The time after which a lost feed is opened again. */
  feedRetryMillis: 1000,
  /** The gain of a clock between two readings that does not count as a leap: clocks are adjusted all the time. */
  clockGainMillisMax: 250,
  /** Leaps of a clock that are remembered: a clock that leaps more often is of no use. */
  clockLeapsMax: 64,
  /** Transitions, or runs, that are read from the store at a time. */
  pageRowsMax: 1000,
  /** Transitions of one commit of an import: small enough for every store, and large enough to share a flush. */
  commitTransitionsMax: 512,
  /** Runs that are read, or imported, at the same time. */
  runsAtOnceMax: 8,
  /** Nodes of tables and lists that are kept in memory for the next state that shares them. */
  cachedNodesMax: 100_000,
  /** Runs of a feed of which the last state is kept. */
  followedStatesMax: 64,
  /** Ticks since the last snapshot that make a closing run keep another. */
  closingTicksMin: 32,
  /** Ticks that are folded for the variations of one sample of a predicate. */
  variedTicksMax: 100_000,
  /** Variations of one sample of a predicate. */
  variationsMax: 100,
  /** States of one sample on which a function has to prove that it is pure. */
  pureStatesMax: 40,
  /** Ticks on either side of an onset that a causal chain covers. */
  causalTicksMax: 250
} as const

/** Limits of what is shown. */
export const showing = {
  /** The time after which an action counts as pending too long. Set by `pendingMillisMax`, `metrics --pending`. */
  pendingMillisMax: 300_000,
  /** Characters of a value in an explanation. */
  explainedCharactersMax: 200
} as const
