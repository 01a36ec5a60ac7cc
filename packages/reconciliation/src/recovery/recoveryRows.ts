/**
 * The rows of the recovery table, as data: what is done about each discrepancy, by the side-effect class of the tool
 * and the present conditions.
 *
 * A row says whether the action is read again, sent again, undone, completed, reported as unverified, or held for a
 * person. The first row that applies decides.
 */
import type * as Discrepancy from "../evidence/Discrepancy.ts"
import type { RecoverySections, Unmapped } from "./RecoveryRow.ts"

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
      sourceRow: 1,
      when: { withinDelay: true },
      action: "retry_verification",
      because: "on_its_way"
    },
    {
      sourceRow: 2,
      when: { maybeStale: true },
      action: "force_strong_read",
      because: "weak_read"
    },
    {
      sourceRow: 3,
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
      sourceRow: 3,
      when: { reversible: true },
      action: "compensate",
      because: "unreached_reversible"
    },
    {
      sourceRow: 4,
      when: {},
      action: "hold_and_escalate",
      because: "irreversible"
    }
  ],
  verification_timeout: [
    {
      sourceRow: 6,
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
      sourceRow: 5,
      when: { reversible: true },
      action: "compensate_and_stop",
      because: "pending_reversible"
    },
    {
      sourceRow: 6,
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
      sourceRow: 7,
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
      sourceRow: 8,
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
      sourceRow: 10,
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
      sourceRow: 9,
      when: {},
      action: "compensate_backward",
      because: "parts_reversible"
    }
  ],
  stale_state_error: [
    {
      sourceRow: 11,
      when: {},
      action: "refresh_and_replan",
      because: "changed_by_another"
    }
  ],
  duplicate_side_effect: [
    {
      sourceRow: 13,
      when: { permitted: true },
      action: "record_replay",
      because: "duplicate_wanted"
    },
    {
      sourceRow: 12,
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
      sourceRow: 14,
      when: {},
      action: "freeze_and_alarm",
      because: "boundary_crossed"
    }
  ],
  unverifiable_result: [
    {
      sourceRow: 15,
      classes: light,
      when: {},
      action: "report_unverified",
      because: "little_at_stake"
    },
    {
      sourceRow: 16,
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
      sourceRow: 17,
      classes: grave,
      when: {},
      action: "open_incident",
      because: "inconsistent_seen"
    },
    {
      sourceRow: 17,
      when: {},
      action: "review",
      because: "reversal_irreversible"
    }
  ],
  provider_outage: [
    {
      sourceRow: 18,
      when: { executed: false },
      action: "defer",
      because: "unverifiable_now"
    },
    {
      sourceRow: 19,
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
      sourceRow: 20,
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
      sourceRow: 21,
      when: {},
      action: "fail_closed",
      because: "approval_of_others"
    }
  ]
} as const satisfies Pick<RecoverySections, Discrepancy.RecordFinding>

/** The six classes without a row in Action Verification's table, made from its typical recoveries. */
export const classes = {
  no_op_success: [
    {
      sourceRow: "typical",
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
      sourceRow: "typical",
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
      sourceRow: "typical",
      when: { keyRecorded: true, keyHonoured: true, policyCurrent: true, approvalMatches: true },
      action: "retry_same_key",
      because: "proven_absent"
    },
    dirty,
    {
      sourceRow: "typical",
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
      sourceRow: "typical",
      when: { reversible: true, pivotPassed: false, providerUp: true },
      action: "compensate",
      because: "wrong_reversible"
    },
    dirty,
    {
      sourceRow: "typical",
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
      sourceRow: "typical",
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
      sourceRow: "typical",
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
      sourceRow: "typical",
      when: {},
      action: "hold_and_escalate",
      because: "target_claimed"
    }
  ]
} as const satisfies Pick<RecoverySections, Unmapped>
