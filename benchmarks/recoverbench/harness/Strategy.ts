/**
 * Strategies of recovery: the point to go back to when a step fails.
 *
 * | strategy | goes back to |
 * | --- | --- |
 * | retry only | the beginning: the whole task is done again, in a new run of the same goal |
 * | coarse state | the state of the whole run at the last anchor before the failed instance, in a fork |
 * | entry only | the entry checkpoint of the failed instance, if the gate admits it |
 * | latest admissible | the latest checkpoint of the failed instance that the gate admits |
 *
 * A forced restore asks no gate. It shows what a block prevents.
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"

/** A strategy of recovery. */
export type Strategy =
  | { readonly _tag: "Rerun" }
  | { readonly _tag: "Anchor" }
  | { readonly _tag: "Gate"; readonly policy: RecoveryPolicy.RecoveryPolicy }
  | { readonly _tag: "Force"; readonly kind: Checkpoint.CheckpointKind; readonly instance?: string | undefined }

/** The compared strategies, by name. */
export const compared = {
  "retry only": { _tag: "Rerun" },
  "coarse state": { _tag: "Anchor" },
  "entry only": { _tag: "Gate", policy: RecoveryPolicy.policies.entry },
  "latest admissible": { _tag: "Gate", policy: RecoveryPolicy.policies.commit }
} as const satisfies Readonly<Record<string, Strategy>>

/** Name of a compared strategy. */
export type Name = keyof typeof compared

/** Names of the compared strategies, in the order of the report. */
export const names = Object.keys(compared) as ReadonlyArray<Name>

/** Restores a checkpoint of the failed instance, or of a named one, without asking the gate. */
export const force = (kind: Checkpoint.CheckpointKind, instance?: string): Strategy => ({
  _tag: "Force",
  kind,
  instance
})

/** Goes back by the standard policy without some of its conjuncts. */
export const without = (...conjuncts: ReadonlyArray<RecoveryPolicy.Conjunct>): Strategy => ({
  _tag: "Gate",
  policy: RecoveryPolicy.without(RecoveryPolicy.policies.commit, ...conjuncts)
})

/** Goes back by the standard policy under another rule about consumers. */
export const judging = (rule: RecoveryPolicy.ConsumerRule): Strategy => ({
  _tag: "Gate",
  policy: RecoveryPolicy.judging(RecoveryPolicy.policies.commit, rule)
})
