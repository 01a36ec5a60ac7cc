/**
 * Effects of a subtask on systems of record, and whether a rollback may cross them.
 *
 * | effect after the checkpoint | `rollback` | `compensate` | `forbid` |
 * | --- | --- | --- | --- |
 * | none, undone, or class I | allowed | allowed | allowed |
 * | open: its outcome is unknown | blocked | blocked | blocked |
 * | class R, with an exact inverse | allowed, with its reversal | allowed, with its reversal | blocked |
 * | class K, whose compensation leaves residue | blocked | allowed, with its compensation | blocked |
 * | class X, or an undo whose time is over | blocked | blocked | blocked |
 *
 * @source DART, definition 3 (the effect policy) and definition 6 (EffectAllowed)
 */
import type * as Skeleton from "@backstitch/contracts/Skeleton"

/** A change of a system of record by an action. */
export interface Effect {
  readonly action: string
  readonly tool: string
  readonly reversibility: "I" | "K" | "R" | "X"
  /** The settlement of the effect: not settled, settled as standing, or settled as undone. */
  readonly standing: "open" | "stands" | "undone"
  /** `true` if it has a key, or can be asked about: a run that does the task again does not repeat it. */
  readonly isRepeatable: boolean
  /** Epoch milliseconds until which it can be undone, if its contract says so. */
  readonly undoEndsAt?: number | undefined
}

/** The reason why an effect forbids a rollback before it. */
export type Barrier = "effect_unsettled" | "irreversible_effect_policy" | "undo_window_closed"

/** The reason why an effect may not be crossed under a policy at a time; `undefined` if it may. */
export const barrier = (
  { reversibility, standing, undoEndsAt }: Effect,
  policy: Skeleton.Effects,
  now: number
): Barrier | undefined => {
  if (standing === "undone" || reversibility === "I") return undefined
  if (standing === "open") return "effect_unsettled"
  if (reversibility === "X" || policy === "forbid") return "irreversible_effect_policy"
  if (reversibility === "K" && policy === "rollback") return "irreversible_effect_policy"
  return undoEndsAt !== undefined && undoEndsAt < now ? "undo_window_closed" : undefined
}

/** Tells whether a rollback before an effect needs a reversal through the ledger. */
export const isOwed = ({ reversibility, standing }: Effect): boolean => standing === "stands" && reversibility !== "I"
