/**
 * Recovery policies as data: the kinds of checkpoints that may be restored, and the conditions that have to hold.
 *
 * An instance is a consumer of another if it has read a value that the other wrote. A rule says which consumers forbid
 * a restore:
 *
 * | rule | forbids the restore of a checkpoint |
 * | --- | --- |
 * | `instance` | to consumers of anything that the instance wrote |
 * | `checkpoint` | if it undoes an effect, as `instance`; if not, to consumers of what it takes away |
 * | `values` | to consumers of what it takes away, whatever effects it undoes |
 *
 * `checkpoint` is the standard. `instance` is the rule of the source, which also blocks restores that take nothing from
 * a consumer. A restore on record that names no rule was decided by `values`. That rule also admits a restore that
 * undoes an effect on which a committed consumer stands.
 *
 * @source DART, sections 4.4, 4.5 and 5.1, and docs/decisions/0078
 */
import type * as Checkpoint from "../instance/Checkpoint.ts"

/**
 * The conditions that are judged for each checkpoint of a failed instance, in order. The other two, `identified` and
 * `stable`, cannot be left out: without an instance and a checkpoint of it there is nothing to restore.
 */
export const conjuncts = ["in_scope", "no_committed_conflict", "effect_allowed"] as const

/** A condition that is judged for each checkpoint. */
export type Conjunct = (typeof conjuncts)[number]

/** Tells whether a name is that of a condition which a policy can leave out. */
export const isConjunct = (name: string): name is Conjunct => (conjuncts as ReadonlyArray<string>).includes(name)

/** The rules about consumers, the strictest first. */
export const consumerRules = ["instance", "checkpoint", "values"] as const

/** A rule about consumers. */
export type ConsumerRule = (typeof consumerRules)[number]

/** The checkpoints that a recovery may restore. Conditions in `without` are not judged, to measure their effect. */
export interface RecoveryPolicy {
  readonly name: PolicyName
  readonly kinds: ReadonlySet<Checkpoint.CheckpointKind>
  readonly consumers: ConsumerRule
  readonly without: ReadonlySet<Conjunct>
}

/** The name of a policy: the latest kind of checkpoint that it restores. */
export type PolicyName = Checkpoint.CheckpointKind

const policy = (name: PolicyName, ...earlier: ReadonlyArray<Checkpoint.CheckpointKind>): RecoveryPolicy => ({
  name,
  kinds: new Set([...earlier, name]),
  consumers: "checkpoint",
  without: new Set()
})

/** The reviewed policies by name; `commit` is the standard. */
export const policies = {
  entry: policy("entry"),
  commit: policy("commit", "entry"),
  exit: policy("exit", "entry", "commit")
} as const satisfies Readonly<Record<PolicyName, RecoveryPolicy>>

/** Leaves a condition out of a policy, to measure what it prevents. */
export const without = (self: RecoveryPolicy, ...left: ReadonlyArray<Conjunct>): RecoveryPolicy => ({
  ...self,
  without: new Set([...self.without, ...left])
})

/** Judges consumers by another rule; by that of the policy if none is given. */
export const judging = (self: RecoveryPolicy, consumers: ConsumerRule = self.consumers): RecoveryPolicy => ({
  ...self,
  consumers
})
