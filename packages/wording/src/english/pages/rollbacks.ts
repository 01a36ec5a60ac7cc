/** The words of a rollback: its blocks, what is left instead, and how far an undo is proven. */
import * as Duration from "@backstitch/contracts/Duration"
import type { Words } from "../../said/Words.ts"

/** The words of a rollback. */
export const rollbacks: Words["rollbacks"] = {
  blocks: {
    ambiguous_instance: "several subtasks could have failed, or none: no single one is known",
    boundary_not_closed: "the last boundary was reached before all its outputs and effects were complete",
    committed_consumers_present: "committed work relies on what the rollback would take away or undo",
    effect_unsettled: "an effect is not settled yet: settle it first",
    irreversible_effect_policy: "the contract does not let this effect be undone in a rollback",
    no_checkpoint: "there is no checkpoint that the policy restores",
    open_consumers_present: "unfinished work relies on what the rollback would take away or undo",
    overwritten_since: "another subtask has overwritten what the rollback would put back",
    undo_window_closed: "the time in which the effect could be undone is over"
  },
  fallbacks: {
    hold: "hold the run: an effect has no key, and nobody can be asked about it",
    rerun: "run the task again: keys keep its effects from happening twice"
  },
  proofs: {
    changed: "its undo was exercised under another contract",
    failed: "its undo failed in the latest drill",
    never: "no drill has exercised its undo",
    proven: "its undo is proven",
    stale: "the proof of its undo is older than the contract accepts"
  },
  until: ({ endsAt, leftMillis }) =>
    leftMillis === 0 ? `until ${endsAt}, which is over` : `until ${endsAt}, ${Duration.roughly(leftMillis)} from now`
}
