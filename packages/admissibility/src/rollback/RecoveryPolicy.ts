/**
 * Recovery policies as data: the kinds of checkpoints that may be restored, and the conditions that have to hold.
 *
 * @source DART, sections 4.4 and 5.1
 */
import type * as Checkpoint from "../instance/Checkpoint.ts"

/** The conditions of an admissible local recovery, in the order in which they are judged. */
export const conjuncts = ["identified", "stable", "in_scope", "no_committed_conflict", "effect_allowed"] as const

/** A condition of an admissible local recovery. */
export type Conjunct = (typeof conjuncts)[number]

/** The checkpoints that a recovery may restore. Conditions in `without` are not judged, to measure their effect. */
export interface RecoveryPolicy {
  readonly name: Name
  readonly kinds: ReadonlySet<Checkpoint.CheckpointKind>
  readonly without: ReadonlySet<Conjunct>
}

/** The name of a policy: the latest kind of checkpoint that it restores. */
export type Name = Checkpoint.CheckpointKind

const policy = (name: Name, ...earlier: ReadonlyArray<Checkpoint.CheckpointKind>): RecoveryPolicy => ({
  name,
  kinds: new Set([...earlier, name]),
  without: new Set()
})

/** The reviewed policies by name; `commit` is the standard. */
export const policies = {
  entry: policy("entry"),
  commit: policy("commit", "entry"),
  exit: policy("exit", "entry", "commit")
} as const satisfies Readonly<Record<Name, RecoveryPolicy>>

/** Leaves a condition out of a policy, to measure what it prevents. */
export const without = (self: RecoveryPolicy, ...left: ReadonlyArray<Conjunct>): RecoveryPolicy => ({
  ...self,
  without: new Set([...self.without, ...left])
})
