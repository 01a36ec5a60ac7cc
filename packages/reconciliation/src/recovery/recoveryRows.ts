/** The rows of the recovery tables, as data. */
import type * as Discrepancy from "../evidence/Discrepancy.ts"
import type { Sections, Unmapped } from "./RecoveryRow.ts"

const grave = ["high_risk_external", "critical_mutation"] as const
const harmless = ["read_only"] as const
const light = ["read_only", "low_risk_internal"] as const
const sandbox = ["ephemeral_write"] as const
const unseen = ["read_only", "ephemeral_write"] as const

const spent = {
  when: { budgetLeft: false },
  action: "hold_and_escalate",
  because: "ours: what can no longer be verified is not verified, and nobody waits for it for ever"
} as const

const dirty = {
  classes: sandbox,
  when: { maybeStale: false },
  action: "mark_dirty",
  because: "ours: the depth table has it so for a sandbox, which is thrown away and asks nobody"
} as const

/** The 21 rows of Action Verification, and ours, which close their gaps. */
export const findings = {
  observation_authority_mismatch: [
    spent,
    {
      seed: 1,
      when: { withinDelay: true },
      action: "retry_verification",
      because: "it may still be on its way; until it is there, nothing is reported"
    },
    {
      seed: 2,
      when: { maybeStale: true },
      action: "force_strong_read",
      because: "only the system of record, or a read bound to the commit, can confirm or refute"
    },
    {
      seed: 3,
      when: { transactionOpen: true },
      action: "roll_back",
      because: "the required state was not reached, and nobody has seen what was done instead"
    },
    {
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "ours: behind the pivot, reversing one step leaves the rest of the workflow without it"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "ours: a reversal that cannot be verified is not begun"
    },
    {
      seed: 3,
      when: { reversible: true },
      action: "compensate",
      because: "the required state was not reached, and what was done instead can be reversed"
    },
    {
      seed: 4,
      when: {},
      action: "hold_and_escalate",
      because: "what cannot be reversed is not for a machine to repair"
    }
  ],
  verification_timeout: [
    {
      seed: 6,
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "nobody knows the final state, so nothing is sent again"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because:
        "ours: what cannot be read cannot be reversed either; whether there is anything to undo is asked, not assumed"
    },
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "ours: a transaction that is still open is aborted, not compensated"
    },
    {
      seed: 5,
      when: { reversible: true },
      action: "compensate_and_stop",
      because: "nothing stays pending for ever while it can be reversed"
    },
    {
      seed: 6,
      when: {},
      action: "hold_and_escalate",
      because: "nobody knows the final state, so nothing is sent again"
    }
  ],
  pending_timeout: [
    {
      when: { budgetLeft: false },
      action: "freeze_and_reconcile",
      because: "ours: the key was asked about as often as its budget allows"
    },
    {
      seed: 7,
      when: { keyRecorded: true },
      action: "poll_key_record",
      because: "the first attempt may still complete, and its record will say so"
    },
    {
      classes: harmless,
      when: {},
      action: "retry_verification",
      because: "ours: a read has no effect to duplicate"
    },
    {
      seed: 8,
      when: {},
      action: "freeze_and_reconcile",
      because: "without a record, a second attempt may be a second effect"
    }
  ],
  partial_success: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "ours: all parts are in one transaction that is still open"
    },
    {
      seed: 10,
      when: { pivotPassed: true },
      action: "recover_forward",
      because: "there is no way back; the steps that are left can be repeated, and are completed"
    },
    {
      classes: sandbox,
      when: { reversible: false },
      action: "mark_dirty",
      because: "ours: the depth table has it so for a sandbox, which is thrown away and asks nobody"
    },
    {
      when: { reversible: false },
      action: "hold_and_escalate",
      because: "ours: before the pivot, and a part cannot be reversed"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "ours: a reversal that cannot be verified is not begun"
    },
    {
      seed: 9,
      when: {},
      action: "compensate_backward",
      because: "what was completed can be reversed, the last step first"
    }
  ],
  stale_state_error: [
    {
      seed: 11,
      when: {},
      action: "refresh_and_replan",
      because: "somebody else changed it; the planner has to decide on what is there now"
    }
  ],
  duplicate_side_effect: [
    {
      seed: 13,
      when: { permitted: true },
      action: "record_replay",
      because: "the result is the one that was wanted; that it was done twice is on record"
    },
    {
      seed: 12,
      classes: grave,
      when: {},
      action: "freeze_and_alert",
      because: "money, access or people outside are concerned, and may need more than a reversal"
    },
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "ours: nobody has seen either of the two"
    },
    {
      when: { reversible: true, pivotPassed: false, providerUp: true },
      action: "compensate",
      because: "ours: a duplicate of small consequence is reversed, once it is settled which one counts"
    },
    {
      when: {},
      action: "freeze_and_reconcile",
      because: "ours: which of the two counts is for a person to say"
    }
  ],
  wrong_target_modified: [
    {
      seed: 14,
      when: {},
      action: "freeze_and_alarm",
      because: "a boundary was crossed, by a write or by a read"
    }
  ],
  unverifiable_result: [
    {
      seed: 15,
      classes: light,
      when: {},
      action: "report_unverified",
      because: "little is at stake, and completion is not claimed"
    },
    {
      seed: 16,
      classes: grave,
      when: {},
      action: "hold_and_escalate",
      because: "much is at stake, and somebody independent has to look"
    },
    {
      classes: ["ephemeral_write"],
      when: {},
      action: "report_unverified",
      because: "ours: what lives in a sandbox dies with it"
    },
    {
      when: {},
      action: "hold_and_escalate",
      because: "ours: between the two, the careful answer"
    }
  ],
  compensation_failure: [
    {
      classes: unseen,
      when: {},
      action: "review",
      because: "ours: nobody outside sees it, and it is inconsistent all the same"
    },
    {
      seed: 17,
      classes: grave,
      when: {},
      action: "open_incident",
      because: "others see a state that nobody intended"
    },
    {
      seed: 17,
      when: {},
      action: "review",
      because: "it may be inconsistent, and reversing the reversal is no plan"
    }
  ],
  provider_outage: [
    {
      seed: 18,
      when: { executed: false },
      action: "defer",
      because: "what could not be verified is better not begun"
    },
    {
      seed: 19,
      when: {},
      action: "hold_pending",
      because: "it is unknown, stays unknown, and is not sent a second time"
    }
  ],
  policy_version_mismatch: [
    {
      when: { executed: true },
      action: "review",
      because: "ours: it ran under a policy that was no longer in force, and no approval mends that afterwards"
    },
    {
      seed: 20,
      when: {},
      action: "revalidate_approval",
      because: "what the old policy allowed, the new one may not"
    }
  ],
  approval_token_mismatch: [
    {
      when: { executed: true },
      action: "open_incident",
      because: "ours: it ran with arguments that nobody approved"
    },
    {
      seed: 21,
      when: {},
      action: "fail_closed",
      because: "an approval is for the arguments that were approved, and is not used for others"
    }
  ]
} as const satisfies Pick<Sections, Discrepancy.Finding>

/** The six classes that Action Verification's table has no row for, from what it calls their typical recovery. */
export const classes = {
  no_op_success: [
    {
      seed: "typical",
      when: { permitted: true },
      action: "settle_as_is",
      because: "it is as it was wanted, and the contract lets that count"
    },
    {
      when: {},
      action: "review",
      because: "ours: the contract asks for a change, and there was none to make"
    }
  ],
  no_op_failure: [
    spent,
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "ours: the system of record cannot be asked again before something is sent"
    },
    {
      when: { withinDelay: true },
      action: "retry_verification",
      because: "ours: before the delay has passed, nothing is proven by what is not there"
    },
    {
      seed: "typical",
      when: { maybeStale: true },
      action: "force_strong_read",
      because: "state is refreshed before anything is concluded from it"
    },
    {
      when: { executed: false },
      action: "refresh_and_replan",
      because: "ours: nothing was sent, so there is nothing to repeat"
    },
    {
      seed: "typical",
      when: { keyRecorded: true, keyHonoured: true, policyCurrent: true, approvalMatches: true },
      action: "retry_same_key",
      because: "it is proven that nothing happened, and a late first attempt would be recognised by its key"
    },
    dirty,
    {
      seed: "typical",
      when: {},
      action: "hold_and_escalate",
      because: "sending again would be blind"
    }
  ],
  value_mismatch: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "ours: nobody has seen it yet"
    },
    {
      when: { maybeStale: true, budgetLeft: true },
      action: "force_strong_read",
      because: "ours: nothing is reversed on the word of a replica"
    },
    {
      seed: "typical",
      when: { reversible: true, pivotPassed: false, providerUp: true },
      action: "compensate",
      because: "what was done instead can be reversed, and then done right"
    },
    dirty,
    {
      seed: "typical",
      when: {},
      action: "review",
      because: "it can be neither reversed nor left as it is"
    }
  ],
  target_missing: [
    {
      when: { maybeStale: true, budgetLeft: true },
      action: "force_strong_read",
      because: "ours: a replica may not have it yet"
    },
    {
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "ours: behind the pivot there is no other plan to make"
    },
    {
      seed: "typical",
      when: {},
      action: "refresh_and_replan",
      because: "a plan for what is not there has to be made anew"
    }
  ],
  compensation_required: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "ours: nothing was committed that had to be reversed"
    },
    {
      when: { pivotPassed: true },
      action: "recover_forward",
      because: "ours: behind the pivot the workflow is completed"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "ours: whether there is anything to undo is asked first"
    },
    {
      seed: "typical",
      when: { reversible: true },
      action: "compensate",
      because: "the reversal is run and verified like any action"
    },
    {
      when: {},
      action: "hold_and_escalate",
      because: "ours: it has to be reversed, and no reversal is declared"
    }
  ],
  unknown_state: [
    {
      when: { executed: false },
      action: "refresh_and_replan",
      because: "ours: nothing was sent, so nothing is in doubt"
    },
    {
      when: { budgetLeft: true, providerUp: true, keyRecorded: true },
      action: "poll_key_record",
      because: "ours: the record of the key can settle it"
    },
    {
      when: { budgetLeft: true, providerUp: false },
      action: "hold_pending",
      because: "ours: the system of record cannot be asked now"
    },
    {
      seed: "typical",
      when: {},
      action: "hold_and_escalate",
      because: "it stays unknown, and nothing else may touch the target until a person settles it"
    }
  ]
} as const satisfies Pick<Sections, Unmapped>
