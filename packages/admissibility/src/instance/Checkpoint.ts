/**
 * Stable checkpoints: restore points, each for one instance and one point of its life.
 *
 * An instance has an entry checkpoint from its first step on, a commit checkpoint for each certified commit boundary,
 * and an exit checkpoint for a certified exit boundary. They are ordered by recency: the tick after which they
 * restore.
 *
 * @source DART, equation 7
 */
import type * as Instance from "./Instance.ts"

/** The points of an instance's life that may have a checkpoint, the earliest first. */
export const kinds = ["entry", "commit", "exit"] as const

/** A point of an instance's life. */
export type CheckpointKind = (typeof kinds)[number]

/** A restore point: the run as it was after `tick`, as far as the instance wrote it. */
export interface Checkpoint {
  readonly instance: Instance.Instance
  readonly kind: CheckpointKind
  readonly tick: number
  readonly state: string
}

const rank: Readonly<Record<CheckpointKind, number>> = { entry: 0, commit: 1, exit: 2 }

/** Orders checkpoints of one instance by recency. Of two at one tick, the later point of its life is the later one. */
export const byRecency = (left: Checkpoint, right: Checkpoint): number =>
  left.tick - right.tick || rank[left.kind] - rank[right.kind]
