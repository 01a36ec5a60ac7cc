/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Answers in a row of a model from which nothing can be proposed, after which the planner gives up. */
  unusableAnswersMax: 3,
  /** Proposals in a row that may be refused or fail, after which the planner gives up. */
  fruitlessProposalsMax: 10
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time for which an answer of a model is awaited. Set by `timeoutMillis`. */
  modelMillisMax: 120_000,
  /** Times that a request to a model is sent again after a failure of its provider. Set by `retriesMax`. */
  modelRetriesMax: 2,
  /** Outcomes of calls that are kept for their tools, while it is looked into whether the calls need an approval. */
  aheadOutcomesMax: 64
} as const

/** Limits of what is shown. */
export const showing = {
  /** Characters of what a model says beside a call that are kept as the description of the intent. */
  saidCharactersMax: 500,
  /** Characters of arguments that are no JSON that are kept with their refusal. */
  malformedCharactersMax: 2000,
  /** Characters of the name of a tool that a provider accepts. */
  toolNameCharactersMax: 64
} as const
