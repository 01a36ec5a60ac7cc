/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/**
 * Limits that pace the work. A declared topology sets its own where a pack has a key for it; these stand where it has
 * none, and where a trace was recorded elsewhere.
 */
export const pacing = {
  /** Calls in a row that bring nothing new, from which on a loop counts as a runaway. Half of what the source names. */
  idleCallsMax: 10,
  /** Calls of one tool that bring nothing new, whatever others bring in between, from which on a loop runs away. */
  staleCallsMax: 20,
  /** Calls of one tool that are answered that the matter is still under way, from which on a loop runs away. */
  pendingCallsMax: 60,
  /** Times that two calls alternate, each with its own answer, from which on a loop counts as an oscillation. */
  alternationsMax: 3,
  /** Times that a circle of three or four calls is gone round, from which on a loop counts as an oscillation. */
  circlesMax: 5,
  /** Messages that begin with the name of an agent, from which on their speaker counts as a boss. */
  addressedMessagesMin: 2,
  /** Rounds of a debate. Set by `topology.rounds`. */
  debateRoundsMax: 3,
  /** The convergence delta: the share of the draft that a round has to change, or it ends the debate. */
  debateDeltaMin: 0.1,
  /** Rounds of a debate that are remembered, the latest: as many as show that two drafts take turns. */
  debateRoundsKeptMax: 4,
  /** The difference of scores from which on one round of a debate is clearly better than another. */
  debateScoreLeadMin: 0.1,
  /** The share of its additions that a later round of a debate takes back, from which on it undoes them. */
  debateUndoneShareMin: 0.5,
  /** The share of words from which on two texts are versions of one draft. */
  draftVersionShareMin: 0.5,
  /** The share of their words from which on two calls of one tool are near to each other. */
  nearCallShareMin: 0.4,
  /** The share of its words that another text has in the same places, from which on it says a text again. */
  saidAgainShareMin: 0.85,
  /** The share of words in common with its brief from which on a result merely repeats it. */
  echoedBriefShareMin: 0.85,
  /** The fall of the score of a whole below its best one, from which on its quality has decayed. */
  decayedScoreFallMin: 0.2,
  /** The share of a loop's steps from which on it is near its cap. */
  loopShareNearMin: 0.8,
  /** Times that a task is ordered whose handoff was lost. Then a person is asked. */
  ordersPerTaskMax: 2,
  /** Reports that wait at a root while leaves are idle. Set by `topology.queue`. */
  waitingReportsMax: 4,
  /** Reports in a row over which a queue at a root has to grow. */
  growingReportsMin: 3,
  /** Answers by tool that a loop remembers, the latest. */
  answersKeptMax: 64,
  /** Names of objects that a plan remembers, the latest. */
  objectsKeptMax: 512,
  /** Words of the arguments of a call that are compared. */
  callWordsMax: 60,
  /** Latest calls of a tool with which the next one is compared. */
  comparedCallsMax: 4,
  /** Words of a draft that are compared. */
  draftWordsMax: 400
} as const
