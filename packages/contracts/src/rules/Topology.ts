/**
 * The shape in which agents work together, and the first crack to watch for in each.
 *
 * @source Crash Recovery, six topologies and their first cracks
 */

/** The shapes that have a detector of their own. */
export const kinds = ["react", "orchestrator", "pipeline", "plan_execute", "debate", "hierarchical"] as const

/** One of the shapes. */
export type Kind = (typeof kinds)[number]

/** The shape of a pack's runs, with the limits that its detectors use. */
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
