/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Items of a page of any list. */
  pageItemsMax: 1000,
  /** Bytes of an import. */
  importBytesMax: 64 << 20,
  /** Characters of a name or an id in a path or a body. */
  nameCharactersMax: 256,
  /** Characters of a text of a person, such as a reason or a piece of evidence. */
  textCharactersMax: 20_000,
  /** Characters of a place among the commits of all runs, as a reader of a stream sends it. */
  cursorCharactersMax: 4000,
  /** Changes of one revision, and clauses that it puts in order. */
  revisionChangesMax: 64,
  /** Acts of which one revision says that they fit. */
  keptActsMax: 1000,
  /** Characters of a pack that is posted to be checked. Any text that a person can review is far smaller. */
  packCharactersMax: 65_536,
  /** Characters of an address. */
  addressCharactersMax: 2000,
  /** Pack roles in which the holder of one key may decide. */
  capacitiesMax: 64,
  /** Parts of other runs from which one run is begun. */
  seedPartsMax: 64,
  /** Runs on which a predicate is tried. */
  sampledRunsMax: 64,
  /** Names in the scope of a predicate: types of transitions, and tools. */
  scopeNamesMax: 64,
  /** Rules of each kind that a fork adds: conditions of its policy, rules for tools, and budgets. */
  forkRulesMax: 64,
  /** The last tick that a request may name. */
  tickMax: 2 ** 31
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time after which a client opens a stream of events again that was cut. */
  streamReopenMillis: 1000
} as const

/** Limits of what is shown. */
export const showing = {
  /** Items of a page, unless the request names another number. */
  listedItemsMax: 100
} as const
