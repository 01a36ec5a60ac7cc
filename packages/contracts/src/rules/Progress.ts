/**
 * The progress of a run towards its goal, as a pack declares it: subgoals, and the weights of three signals.
 *
 * It is a heuristic for watching runs. It refuses nothing, and no search for the onset of a violation depends on it.
 *
 * @source Dendrer, section 9.5 and appendix D
 */
import * as Limits from "../Limits.ts"

/**
 * Subgoals and weights that a pack declares.
 *
 * **Details**
 *
 * A subgoal is reached by an `artifact.write` or a `goal.complete` whose `data.subgoal` names it. A pack without
 * subgoals has one, the goal itself.
 */
export interface Progress {
  readonly subgoals: ReadonlyArray<string>
  readonly weights: Weights
  /** The number of latest proposals that count as recent. */
  readonly recent: number
}

/** Weights of the signals. They need not add up to one. */
export interface Weights {
  readonly completion: number
  readonly constraints: number
  readonly survival: number
}

/** The measure of progress for a pack that declares none: equal weights, over the latest proposals. */
export const standard: Progress = {
  subgoals: [],
  weights: { completion: 1, constraints: 1, survival: 1 },
  recent: Limits.showing.recentProposalsMax
}
