/**
 * Strategies of recovery: what to go back to when a step fails.
 *
 * | strategy | goes back to |
 * | --- | --- |
 * | retry only | the beginning: the whole task is done again, in a new run of the same goal |
 * | coarse state | the state of the whole run at the last anchor before the failed instance, in a fork |
 * | entry only | the entry checkpoint of the failed instance, where the gate admits that |
 * | latest admissible | the latest checkpoint of the failed instance that the gate admits |
 *
 * A forced restore asks no gate. It shows what a block keeps from happening.
 *
 * @source DART, section 5.1
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"

/** A strategy of recovery. */
export type Strategy =
  | { readonly _tag: "Rerun" }
  | { readonly _tag: "Anchor" }
  | { readonly _tag: "Gate"; readonly policy: RecoveryPolicy.RecoveryPolicy }
  | { readonly _tag: "Force"; readonly kind: Checkpoint.Kind }

/** The strategies that are compared, by their names. */
export const compared = {
  "retry only": { _tag: "Rerun" },
  "coarse state": { _tag: "Anchor" },
  "entry only": { _tag: "Gate", policy: RecoveryPolicy.policies.entry },
  "latest admissible": { _tag: "Gate", policy: RecoveryPolicy.policies.commit }
} as const satisfies Readonly<Record<string, Strategy>>

/** Name of a strategy that is compared. */
export type Name = keyof typeof compared

/** Names of the strategies that are compared, in the order in which they are reported. */
export const names = Object.keys(compared) as ReadonlyArray<Name>

/** Restores a checkpoint of the failed instance and asks nobody. */
export const force = (kind: Checkpoint.Kind): Strategy => ({ _tag: "Force", kind })
