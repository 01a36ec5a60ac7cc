/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the engine alone. */
export const deciding = {
  /** Steps of one evaluation: items run over, values compared, text copied in blocks. */
  evaluationStepsMax: 1_000_000,
  /** Nodes of the syntax of one expression. */
  expressionNodesMax: 5000,
  /** Levels that the syntax of one expression may nest. */
  expressionLevelsMax: 100,
  /** Digits of a decimal on either side of its point, so that no value can make arithmetic slow. */
  decimalDigitsMax: 400,
  /** Characters of a value that a finding quotes; of a longer one it gives the type alone. */
  quotedCharactersMax: 60
} as const
