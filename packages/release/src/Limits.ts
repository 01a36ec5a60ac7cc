/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Actions that a canary has to have executed. Set by `actionsMin`. */
  canaryActionsMin: 20,
  /**
   * The share by which a measure of a canary may be worse than that of the other runs. Set by `slack`, `gate
   * --slack`.
   */
  canarySlackShareMax: 0.01
} as const

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Approvals that a drill gives to one proposal. */
  drillApprovalsMax: 4,
  /** Reads of a simulated world that show the earlier state, before one shows the truth. */
  drillStaleReadsMax: 2,
  /** The longest wait that a simulated clock treats as a wait of a store and does not skip. */
  storeWaitMillisMax: 200
} as const
