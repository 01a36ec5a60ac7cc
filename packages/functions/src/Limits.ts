/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that decide what is committed, or what a trace means. They change with the engine alone. */
export const deciding = {
  /** Steps of one call of a function of a pack: rounds of its loops, and calls of functions within it. */
  functionStepsMax: 10_000_000,
  /** Calls within one another that a function may have open: far fewer than fit onto the stack of any engine. */
  openCallsMax: 1_000,
  /** Values that one call may be spread over: each lies on the stack. */
  spreadValuesMax: 10_000
} as const
