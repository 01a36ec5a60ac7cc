/**
 * The shape in which agents work together, and the first crack to watch for in each.
 *
 * @source Crash Recovery, six topologies and their first cracks
 * @since 0.1.0
 */

/**
 * The shapes that have a detector of their own.
 *
 * @category constants
 * @since 0.1.0
 */
export const kinds = ["react", "orchestrator", "pipeline", "plan_execute", "debate", "hierarchical"] as const

/**
 * One of the shapes.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = (typeof kinds)[number]

/**
 * The shape of a pack's runs, with the limits that its detectors use.
 *
 * @category models
 * @since 0.1.0
 */
export interface Topology {
  readonly kind: Kind
  /** Agents by role. */
  readonly agents: Readonly<Record<string, string>>
  /** Stages or agents in order, where the shape has one. */
  readonly order: ReadonlyArray<string>
  readonly stepsMax?: number
  readonly roundsMax?: number
  readonly silenceMillis?: number
  readonly planMillis?: number
  readonly queueMax?: number
}
