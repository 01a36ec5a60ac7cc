/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Bytes of one message of MCP. An answer of 50 MB with its text escaped is smaller. */
  messageBytesMax: 256 * 2 ** 20,
  /** Calls under contract that one session may have under way. A further call is refused, and nothing of it is sent. */
  callsUnderWayMax: 256,
  /** Processes that may work at once for one pack, each in a run of its own, if nobody names their runs. */
  runsMax: 32,
  /** Sessions of clients that are in use at once over HTTP. A further one ends the one that was unused for longest. */
  sessionsMax: 64,
  /** Messages that wait for a client over HTTP until it listens. Further ones are dropped: no request waits for one. */
  waitingMessagesMax: 1000,
  /** Pages of a server's list of tools that are read. */
  toolPagesMax: 100,
  /** Bytes of the file that says how the tools of a server are asked. */
  mappingBytesMax: 8 * 2 ** 20,
  /** Bytes of the description of a server as a protected resource. */
  resourceBytesMax: 1_048_576,
  /** Characters and values of a tool's answer that are kept; of a larger one, its size and its digest. */
  keptAnswerCharactersMax: 524_288
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time in which a server has to answer a question of the proxy itself, such as for the list of its tools. */
  questionMillis: 30_000,
  /** The time for which a person may consider a call that waits at their client. */
  elicitationMillis: 600_000,
  /** The time in which calls under way are settled after one side has ended. */
  drainMillis: 90_000,
  /** The time that a server is given to end by itself, before it is sent a signal. */
  stopMillis: 2000,
  /** The time for which a session over HTTP may be unused: without a request under way, and without an open stream. */
  sessionIdleMillis: 1_800_000,
  /** The time in which a server at an address may refuse a post as a whole, before its answer begins to stream. */
  challengeMillis: 5000,
  /** The first wait before a stream of events that broke is resumed, doubled each time until a message comes. */
  resumeMillis: 100,
  /** The longest such wait, also if a server asks for a longer one. */
  resumeMillisMax: 30_000,
  /** Attempts to resume a stream of events, one after the other, of which no one is answered. */
  resumesMax: 10,
  /** Questions whose answer is no longer awaited, and that are remembered, to tell a late answer from one to others. */
  abandonedMax: 1024
} as const

/** Limits of what is shown. */
export const showing = {
  /** Characters of a tool's own answer that are told of a call whose outcome is unknown. */
  ownAnswerCharactersMax: 2000,
  /** Characters of the arguments of a call that a person is shown. */
  argumentsCharactersMax: 20_000,
  /** Characters of the words of a server about a tool that a draft copies. */
  descriptionCharactersMax: 200,
  /** Runs that a list shows, unless more are asked for. */
  runsShownMax: 50,
  /** Transitions that one answer about a run shows. */
  transitionsMax: 200,
  /** Differences of a tool from its review that are named. */
  changesMax: 10
} as const
