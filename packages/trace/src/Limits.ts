/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the format alone. */
export const deciding = {
  /** Levels that a value may nest. Lists and objects count, from the outermost one on. */
  levelsMax: 500
} as const

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Characters of the name of a run. */
  runNameCharactersMax: 200,
  /** Characters of the name of a tenant. */
  tenantNameCharactersMax: 100,
  /** Characters of the name of a type that an embedder declares. */
  typeNameCharactersMax: 80,
  /** Characters of the namespace of an embedder. */
  namespaceCharactersMax: 40,
  /** Ancestors that the header of an export may name. Set by `lineage` of `Export.Limits`. */
  exportAncestorsMax: 1_000,
  /** Transitions that an export may count. Set by `transitions` of `Export.Limits`. */
  exportTransitionsMax: 200_000
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Transitions, or runs, that a feed reads at a time. */
  feedRowsMax: 256,
  /** Runs that wake a follower by their names. If more runs have moved, the follower checks all of them. */
  signalledRunsMax: 256,
  /** Transitions of a run that a signal hands over to a follower that sleeps. If there are more, it reads them. */
  signalledTransitionsMax: 64,
  /** Hashes of the keys of tables that are kept in memory. */
  rowHashesMax: 4096,
  /** Characters of a key of a table whose hash is kept in memory. */
  hashedKeyCharactersMax: 256,
  /** Characters of a JSON text that is its own address. */
  jsonInlineCharactersMax: 256,
  /** Characters of a JSON text that is kept as one node. A longer array or object is taken apart. */
  jsonLeafCharactersMax: 4_096,
  /** Levels of arrays and objects that are taken apart. */
  jsonLevelsMax: 8,
  /** Mean characters of the items of an array, or of the keys and values of an object, that share nodes. */
  jsonSmallItemCharactersMax: 64,
  /** Small items that share a node. An even number, since keys and values alternate. */
  jsonItemsPerNode: 64
} as const

/** Limits of what is shown. */
export const showing = {
  /** Characters of a wrong line of an export that a message quotes. */
  misfitCharactersMax: 500,
  /** Codes that the refusal of an unknown code lists. */
  expectedCodesMax: 12
} as const
