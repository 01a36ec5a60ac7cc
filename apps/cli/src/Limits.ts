/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** The time in which a delivery has to arrive. */
  deliveryMillisMax: 10_000,
  /** Acts about which a model is asked at once whether they fit a revised goal. Those beyond count as in conflict. */
  judgedActsMax: 50
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** The time between two looks at what a server does for a run. */
  hostedLookMillis: 250,
  /** The time that code of an agent has, after the answer of a command, to let go of its timers and connections. */
  lingerMillis: 1000,
  /** Looks after which a run that did not move is at rest, if this server does not work on it. */
  hostedLooksMax: 20
} as const

/** Limits of what is shown. */
export const showing = {
  /** Runs that `runs` lists. Set by `--limit`. */
  listedRunsMax: 1000,
  /** Ticks that `log` shows. Set by `--limit`. */
  loggedTicksMax: 200,
  /** Artifacts that a receipt names in its first line, with the count of the others; `--json` names all. */
  receiptArtifactsMax: 5,
  /** Missing parts of one stage that `stage` lists; it counts the rest. */
  missingPartsMax: 8,
  /** Values that `diff` prints; `--json` prints all. */
  differingValuesMax: 20,
  /** Characters of a value that are printed on one line; `--json` prints all. */
  valueCharactersMax: 2000,
  /** Ticks of one page of `show --html`: a browser lays out more of them too slowly. */
  pageTicksMax: 5000,
  /** Characters of a transition in its place on a page; `show --json` prints all. */
  pageValueCharactersMax: 8000,
  /** Width of a column of text, in characters. A narrower column is hard to read. */
  readableColumnsMin: 24
} as const
