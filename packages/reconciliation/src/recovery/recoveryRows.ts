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
  because: "verification_exhausted"
} as const

const dirty = {
  classes: sandbox,
  when: { maybeStale: false },
  action: "mark_dirty",
  because: "sandbox"
} as const

/** The 21 rows of Action Verification, and the rows of Backstitch that close its gaps. */
export const findings = {
  observation_authority_mismatch: [
    spent,
    {
      seed: 1,
      when: { withinDelay: true },
      action: "retry_verification",
      because: "on_its_way"
    },
    {
      seed: 2,
      when: { maybeStale: true },
      action: "force_strong_read",
      because: "weak_read"
    },
    {
      seed: 3,
      when: { transactionOpen: true },
      action: "roll_back",
      because: "unreached_unseen"
    },
    {
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "behind_pivot"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "reversal_unverifiable"
    },
    {
      seed: 3,
      when: { reversible: true },
      action: "compensate",
      because: "unreached_reversible"
    },
    {
      seed: 4,
      when: {},
      action: "hold_and_escalate",
      because: "irreversible"
    }
  ],
  verification_timeout: [
    {
      seed: 6,
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "final_state_unknown"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "unreadable_now"
    },
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "transaction_open"
    },
    {
      seed: 5,
      when: { reversible: true },
      action: "compensate_and_stop",
      because: "pending_reversible"
    },
    {
      seed: 6,
      when: {},
      action: "hold_and_escalate",
      because: "final_state_unknown"
    }
  ],
  pending_timeout: [
    {
      when: { budgetLeft: false },
      action: "freeze_and_reconcile",
      because: "questions_exhausted"
    },
    {
      seed: 7,
      when: { keyRecorded: true },
      action: "poll_key_record",
      because: "first_may_complete"
    },
    {
      classes: harmless,
      when: {},
      action: "retry_verification",
      because: "read_only"
    },
    {
      seed: 8,
      when: {},
      action: "freeze_and_reconcile",
      because: "key_unrecorded"
    }
  ],
  partial_success: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "parts_in_transaction"
    },
    {
      seed: 10,
      when: { pivotPassed: true },
      action: "recover_forward",
      because: "no_way_back"
    },
    {
      classes: sandbox,
      when: { reversible: false },
      action: "mark_dirty",
      because: "sandbox"
    },
    {
      when: { reversible: false },
      action: "hold_and_escalate",
      because: "part_irreversible"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "reversal_unverifiable"
    },
    {
      seed: 9,
      when: {},
      action: "compensate_backward",
      because: "parts_reversible"
    }
  ],
  stale_state_error: [
    {
      seed: 11,
      when: {},
      action: "refresh_and_replan",
      because: "changed_by_another"
    }
  ],
  duplicate_side_effect: [
    {
      seed: 13,
      when: { permitted: true },
      action: "record_replay",
      because: "duplicate_wanted"
    },
    {
      seed: 12,
      classes: grave,
      when: {},
      action: "freeze_and_alert",
      because: "duplicate_grave"
    },
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "duplicate_unseen"
    },
    {
      when: { reversible: true, pivotPassed: false, providerUp: true },
      action: "compensate",
      because: "duplicate_small"
    },
    {
      when: {},
      action: "freeze_and_reconcile",
      because: "duplicate_undecided"
    }
  ],
  wrong_target_modified: [
    {
      seed: 14,
      when: {},
      action: "freeze_and_alarm",
      because: "boundary_crossed"
    }
  ],
  unverifiable_result: [
    {
      seed: 15,
      classes: light,
      when: {},
      action: "report_unverified",
      because: "little_at_stake"
    },
    {
      seed: 16,
      classes: grave,
      when: {},
      action: "hold_and_escalate",
      because: "much_at_stake"
    },
    {
      classes: ["ephemeral_write"],
      when: {},
      action: "report_unverified",
      because: "sandbox_ends"
    },
    {
      when: {},
      action: "hold_and_escalate",
      because: "something_at_stake"
    }
  ],
  compensation_failure: [
    {
      classes: unseen,
      when: {},
      action: "review",
      because: "inconsistent_unseen"
    },
    {
      seed: 17,
      classes: grave,
      when: {},
      action: "open_incident",
      because: "inconsistent_seen"
    },
    {
      seed: 17,
      when: {},
      action: "review",
      because: "reversal_irreversible"
    }
  ],
  provider_outage: [
    {
      seed: 18,
      when: { executed: false },
      action: "defer",
      because: "unverifiable_now"
    },
    {
      seed: 19,
      when: {},
      action: "hold_pending",
      because: "sent_unknown"
    }
  ],
  policy_version_mismatch: [
    {
      when: { executed: true },
      action: "review",
      because: "ran_under_old_policy"
    },
    {
      seed: 20,
      when: {},
      action: "revalidate_approval",
      because: "policy_changed"
    }
  ],
  approval_token_mismatch: [
    {
      when: { executed: true },
      action: "open_incident",
      because: "ran_unapproved"
    },
    {
      seed: 21,
      when: {},
      action: "fail_closed",
      because: "approval_of_others"
    }
  ]
} as const satisfies Pick<Sections, Discrepancy.Finding>

/** The six classes without a row in Action Verification's table, made from its typical recoveries. */
export const classes = {
  no_op_success: [
    {
      seed: "typical",
      when: { permitted: true },
      action: "settle_as_is",
      because: "wanted_already"
    },
    {
      when: {},
      action: "review",
      because: "change_required"
    }
  ],
  no_op_failure: [
    spent,
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "unreadable_before_sending"
    },
    {
      when: { withinDelay: true },
      action: "retry_verification",
      because: "within_delay"
    },
    {
      seed: "typical",
      when: { maybeStale: true },
      action: "force_strong_read",
      because: "refreshed_first"
    },
    {
      when: { executed: false },
      action: "refresh_and_replan",
      because: "nothing_to_repeat"
    },
    {
      seed: "typical",
      when: { keyRecorded: true, keyHonoured: true, policyCurrent: true, approvalMatches: true },
      action: "retry_same_key",
      because: "proven_absent"
    },
    dirty,
    {
      seed: "typical",
      when: {},
      action: "hold_and_escalate",
      because: "blind_resend"
    }
  ],
  value_mismatch: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "unseen"
    },
    {
      when: { maybeStale: true, budgetLeft: true },
      action: "force_strong_read",
      because: "replica_alone"
    },
    {
      seed: "typical",
      when: { reversible: true, pivotPassed: false, providerUp: true },
      action: "compensate",
      because: "wrong_reversible"
    },
    dirty,
    {
      seed: "typical",
      when: {},
      action: "review",
      because: "wrong_irreversible"
    }
  ],
  target_missing: [
    {
      when: { maybeStale: true, budgetLeft: true },
      action: "force_strong_read",
      because: "replica_behind"
    },
    {
      when: { pivotPassed: true },
      action: "hold_and_escalate",
      because: "no_other_plan"
    },
    {
      seed: "typical",
      when: {},
      action: "refresh_and_replan",
      because: "target_gone"
    }
  ],
  compensation_required: [
    {
      when: { transactionOpen: true },
      action: "roll_back",
      because: "uncommitted"
    },
    {
      when: { pivotPassed: true },
      action: "recover_forward",
      because: "completed_behind_pivot"
    },
    {
      when: { providerUp: false },
      action: "hold_pending",
      because: "asked_before_undoing"
    },
    {
      seed: "typical",
      when: { reversible: true },
      action: "compensate",
      because: "reversal_declared"
    },
    {
      when: {},
      action: "hold_and_escalate",
      because: "reversal_undeclared"
    }
  ],
  unknown_state: [
    {
      when: { executed: false },
      action: "refresh_and_replan",
      because: "nothing_in_doubt"
    },
    {
      when: { budgetLeft: true, providerUp: true, keyRecorded: true },
      action: "poll_key_record",
      because: "key_settles"
    },
    {
      when: { budgetLeft: true, providerUp: false },
      action: "hold_pending",
      because: "unreadable_after_sending"
    },
    {
      seed: "typical",
      when: {},
      action: "hold_and_escalate",
      because: "target_claimed"
    }
  ]
} as const satisfies Pick<Sections, Unmapped>
