/** The words of recovery: the meaning of each action, and the reason for each row of the table. */
import type * as Finding from "@backstitch/kernel/Finding"
import * as Meanings from "../../said/meanings.ts"
import type { Words } from "../../said/Words.ts"

/** The meaning of each action of recovery. */
export const recoveries: Words["recoveries"] = {
  settle_as_is: "settle as a success that changed nothing, and record that",
  record_replay: "record the repetition; the result is the one that was wanted",
  retry_verification: "read back again, later",
  force_strong_read: "read the primary, or an endpoint bound to the commit; replicas and caches do not count",
  poll_key_record: "ask what became of the original key, until it is settled",
  retry_same_key: "send the same request again, under the key that it had",
  refresh_and_replan: "fail this attempt, read current state, and let the planner decide on that",
  roll_back: "abort the local transaction that is still open, and verify that nothing remains",
  compensate: "run the action that reverses it, and verify that",
  compensate_and_stop: "reverse it, verify that, and end the workflow",
  compensate_backward: "reverse the steps that took effect, the last one first",
  recover_forward: "complete the remaining steps, each under its own key",
  report_unverified: "go on, and say that the result was not verified",
  mark_dirty: "call it failed, and mark as dirty what it worked in",
  hold_pending: "keep it open, send nothing, and verify again once the provider answers",
  defer: "do not execute now: wait for the provider, and fail cleanly at the deadline",
  revalidate_approval: "ask again under the policy that is in force now",
  fail_closed: "refuse to execute",
  hold_and_escalate: "hold the action and its target, keep the trace, and ask an operator",
  freeze_and_reconcile: "freeze the target, and let a person find out what happened",
  freeze_and_alert: "freeze the target, and alert who is responsible for it",
  freeze_and_alarm: "let the run change nothing more, and treat it as a breach until it is shown not to be one",
  review: "let a person decide",
  open_incident: "let a person decide, and open an incident"
}

/** The reason for a row of the recovery table. */
export const reasons: Words["reasons"] = {
  verification_exhausted: "what can no longer be verified is not verified, and nobody waits for it for ever",
  sandbox: "the depth table has it so for a sandbox, which is thrown away and asks nobody",
  on_its_way: "it may still be on its way; until it is there, nothing is reported",
  weak_read: "only the system of record, or a read bound to the commit, can confirm or refute",
  unreached_unseen: "the required state was not reached, and nobody has seen what was done instead",
  behind_pivot: "behind the pivot, reversing one step leaves the rest of the workflow without it",
  reversal_unverifiable: "a reversal that cannot be verified is not begun",
  unreached_reversible: "the required state was not reached, and what was done instead can be reversed",
  irreversible: "what cannot be reversed is not for a machine to repair",
  final_state_unknown: "nobody knows the final state, so nothing is sent again",
  unreadable_now:
    "what cannot be read cannot be reversed either; whether there is anything to undo is asked, not assumed",
  transaction_open: "a transaction that is still open is aborted, not compensated",
  pending_reversible: "nothing stays pending for ever while it can be reversed",
  questions_exhausted: "the key was asked about as often as its budget allows",
  first_may_complete: "the first attempt may still complete, and its record will say so",
  read_only: "a read has no effect to duplicate",
  key_unrecorded: "without a record, a second attempt may be a second effect",
  parts_in_transaction: "all parts are in one transaction that is still open",
  no_way_back: "there is no way back; the steps that are left can be repeated, and are completed",
  part_irreversible: "before the pivot, and a part cannot be reversed",
  parts_reversible: "what was completed can be reversed, the last step first",
  changed_by_another: "somebody else changed it; the planner has to decide on what is there now",
  duplicate_wanted: "the result is the one that was wanted; that it was done twice is on record",
  duplicate_grave: "money, access or people outside are concerned, and may need more than a reversal",
  duplicate_unseen: "nobody has seen either of the two",
  duplicate_small: "a duplicate of small consequence is reversed, once it is settled which one counts",
  duplicate_undecided: "which of the two counts is for a person to say",
  boundary_crossed: "a boundary was crossed, by a write or by a read",
  little_at_stake: "little is at stake, and completion is not claimed",
  much_at_stake: "much is at stake, and somebody independent has to look",
  sandbox_ends: "what lives in a sandbox dies with it",
  something_at_stake: "between the two, the careful answer",
  inconsistent_unseen: "nobody outside sees it, and it is inconsistent all the same",
  inconsistent_seen: "others see a state that nobody intended",
  reversal_irreversible: "it may be inconsistent, and reversing the reversal is no plan",
  unverifiable_now: "what could not be verified is better not begun",
  sent_unknown: "it is unknown, stays unknown, and is not sent a second time",
  ran_under_old_policy: "it ran under a policy that was no longer in force, and no approval mends that afterwards",
  policy_changed: "what the old policy allowed, the new one may not",
  ran_unapproved: "it ran with arguments that nobody approved",
  approval_of_others: "an approval is for the arguments that were approved, and is not used for others",
  wanted_already: "it is as it was wanted, and the contract lets that count",
  change_required: "the contract asks for a change, and there was none to make",
  unreadable_before_sending: "the system of record cannot be asked again before something is sent",
  within_delay: "before the delay has passed, nothing is proven by what is not there",
  refreshed_first: "state is refreshed before anything is concluded from it",
  nothing_to_repeat: "nothing was sent, so there is nothing to repeat",
  proven_absent: "it is proven that nothing happened, and a late first attempt would be recognised by its key",
  blind_resend: "sending again would be blind",
  unseen: "nobody has seen it yet",
  replica_alone: "nothing is reversed on the word of a replica",
  wrong_reversible: "what was done instead can be reversed, and then done right",
  wrong_irreversible: "it can be neither reversed nor left as it is",
  replica_behind: "a replica may not have it yet",
  no_other_plan: "behind the pivot there is no other plan to make",
  target_gone: "a plan for what is not there has to be made anew",
  uncommitted: "nothing was committed that had to be reversed",
  completed_behind_pivot: "behind the pivot the workflow is completed",
  asked_before_undoing: "whether there is anything to undo is asked first",
  reversal_declared: "the reversal is run and verified like any action",
  reversal_undeclared: "it has to be reversed, and no reversal is declared",
  nothing_in_doubt: "nothing was sent, so nothing is in doubt",
  key_settles: "the record of the key can settle it",
  unreadable_after_sending: "the system of record cannot be asked now",
  target_claimed: "it stays unknown, and nothing else may touch the target until a person settles it"
}

type Recovery = Finding.Args<"outcome.recovered">["recovery"]

/** Says what a discrepancy means. */
export const found = ({ alone, discrepancy }: Recovery, words: Words): string =>
  `${words.discrepancies[discrepancy]} (${discrepancy})${
    alone === true ? "; its contract names no source of a strong read" : ""
  }`

/** Says what the recovery table prescribes, and why. */
export const prescribed = (at: Recovery, words: Words): string => {
  const because = Meanings.reason(at, words)
  return `${words.recoveries[at.action]} (${at.action})${because === undefined ? "" : `, because ${because}`}`
}
