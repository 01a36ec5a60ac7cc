/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the format alone. */
export const deciding = {
  /** Levels that a value may nest: lists and objects count, from the outermost one on. */
  levelsMax: 500
} as const

/** Limits that refuse what comes from outside and is larger. */
export const refusing = {
  /** Characters of the name of a run. */
  runNameCharactersMax: 200,
  /** Characters of the name of a tenant. */
  tenantNameCharactersMax: 100,
  /** Characters of the name of a type that an embedder declares. */
  typeNameCharactersMax: 80,
  /** Characters of the namespace of such a type. */
  namespaceCharactersMax: 40,
  /** Ancestors that the header of an export may name. Set by `BACKSTITCH_LIMITS=lineage=…`. */
  exportAncestorsMax: 1_000,
  /** Transitions that an export may count. Set by `BACKSTITCH_LIMITS=transitions=…`. */
  exportTransitionsMax: 200_000
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Transitions, or runs, that a feed reads at a time. */
  feedRowsMax: 256,
  /** Runs of which a sleeping follower is told by name; of more it is told to look at all. */
  signalledRunsMax: 256,
  /** Hashes of keys of tables that are remembered. */
  rowHashesMax: 4096,
  /** Characters of a key of which the hash is remembered. */
  hashedKeyCharactersMax: 256
} as const

/** Limits of what is shown. */
export const showing = {
  /** Characters that a finding about a line of an export quotes of it. */
  misfitCharactersMax: 500,
  /** Codes of findings that a refusal of another one lists. */
  expectedCodesMax: 12
} as const
