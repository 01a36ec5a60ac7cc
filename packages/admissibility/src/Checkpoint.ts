/**
 * Stable checkpoints: restore points that are attached to one instance and to a point of its life.
 *
 * An instance has an entry checkpoint from its first step on, a commit checkpoint for each time that a certified commit
 * boundary was reached, and an exit checkpoint where a certified exit boundary was. They are ordered by recency: the
 * tick after which they restore.
 *
 * @source DART, equation 7
 */
import type * as Instance from "./Instance.ts"

/** The points of an instance's life at which a checkpoint may lie, the earliest first. */
export const kinds = ["entry", "commit", "exit"] as const

/** A point of an instance's life. */
export type Kind = (typeof kinds)[number]

/** A restore point: the run as it was after `tick`, as far as the instance wrote it. */
export interface Checkpoint {
  readonly instance: Instance.Instance
  readonly kind: Kind
  readonly tick: number
  readonly state: string
}

const rank: Readonly<Record<Kind, number>> = { entry: 0, commit: 1, exit: 2 }

/** Orders checkpoints of one instance by recency; of two at one tick the later point of its life is the later one. */
export const byRecency = (left: Checkpoint, right: Checkpoint): number =>
  left.tick - right.tick || rank[left.kind] - rank[right.kind]
