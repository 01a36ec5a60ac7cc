/**
 * What a run may use up.
 *
 * Budgets are part of the state: a resumed, forked or recovered run goes on
 * with what is left. Every loop of the kernel draws on one, so that nothing
 * can flood, not even recovery.
 *
 * @since 0.1.0
 */

/**
 * Limits by what they limit. What is absent is not limited by the pack.
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget {
  readonly steps?: number
  readonly tokens?: number
  readonly elapsedMillis?: number
  readonly money?: { readonly precision: number; readonly max: string }
  readonly refusals?: number
  readonly anomalies?: number
  readonly retries?: number
  readonly recoveries?: number
  /** Calls by tool. */
  readonly calls?: Readonly<Record<string, number>>
}

/**
 * Names of the limits that are plain counts.
 *
 * @category constants
 * @since 0.1.0
 */
export const counts = ["steps", "tokens", "refusals", "anomalies", "retries", "recoveries"] as const
