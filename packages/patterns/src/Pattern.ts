/**
 * Patterns for reading back twelve kinds of systems, as data: the source, the failures that a pattern detects, and
 * the further checks that it offers.
 *
 * @source Action Verification, "Post-Action Check Pattern Library"
 */
import type { Discrepancy } from "@backstitch/contracts/Expectation"
import type { ReadOrigin } from "@backstitch/contracts/Readback"

/**
 * One check: the condition that has to hold, and the class for which its failure stands.
 *
 * **Details**
 *
 * In `holds`, `$name` is a placeholder for a wanted value; `VerificationPattern.wants` lists the names.
 */
export interface PatternCheck {
  readonly holds: string
  readonly otherwise: Discrepancy
}

/** A pattern. `indicators` detect the known failures of such systems; `parameters` confirm more of the result. */
export interface Pattern {
  readonly source: ReadOrigin
  readonly reads: string
  readonly indicators: Readonly<Record<string, PatternCheck>>
  readonly parameters: Readonly<Record<string, PatternCheck>>
}

const at = (holds: string, otherwise: PatternCheck["otherwise"]): PatternCheck => ({ holds, otherwise })
const exists = at("actual != null", "no_op_failure")
const once = at("actual.count <= 1", "duplicate_side_effect")
const keyed = at("actual.key == key", "wrong_target_modified")
const actor = at("actual.actor == $actor", "value_mismatch")
const audited = at("$trace in actual.audit", "value_mismatch")
const identified = at("actual.id == $id", "wrong_target_modified")
const tenant = at("actual.tenant == $tenant", "wrong_target_modified")

/**
 * The twelve patterns of Action Verification: an indicator for each failure that it lists, and a parameter for each
 * further thing to confirm.
 *
 * If two failures show at once, the graver class is reported, so the failure that explains the other needs the graver
 * class. A duplicate and a wrong target raise an alarm at once, so their checks have to hold for a record that is
 * merely early.
 */
export const patterns = {
  database: {
    source: "primary",
    reads: "the row by its key, from the writer, with the position of the commit that the read can see",
    indicators: {
      missing_row: exists,
      stale_version: at("actual.version > $version", "stale_state"),
      wrong_tenant: tenant,
      values_differ: at("actual.values == $values", "value_mismatch"),
      lock_timeout: at("actual.locked == false", "unknown_state"),
      freshness_not_guaranteed: at("actual.position >= $position", "propagation_delay")
    },
    parameters: { actor, audited }
  },
  filesystem: {
    source: "sandbox_monitor",
    reads: "the path with its links resolved, what is there, and what is gone since",
    indicators: {
      path_escapes: at("actual.path.startsWith($root + '/')", "wrong_target_modified"),
      missing_file: exists,
      hash_differs: at("actual.hash == $hash", "value_mismatch"),
      extension_not_allowed: at("actual.extension in $extensions", "value_mismatch"),
      unexpected_mode: at("actual.mode == $mode", "value_mismatch"),
      destructive: at("actual.removed.all(path, path in $removable)", "wrong_target_modified")
    },
    parameters: {
      allowlisted: at("actual.path in $paths", "wrong_target_modified"),
      size: at("actual.size == $size", "value_mismatch"),
      no_link: at("actual.link == false", "wrong_target_modified")
    }
  },
  email: {
    source: "provider_status",
    reads: "the message by the provider's id or the key, and how many there are under the key",
    indicators: {
      bounced: at("actual.status != 'bounced'", "value_mismatch"),
      rejected: at("actual.status != 'rejected'", "no_op_failure"),
      quarantined: at("actual.status != 'quarantined'", "value_mismatch"),
      suppressed: at("actual.status != 'suppressed' && actual.suppressed == false", "no_op_failure"),
      wrong_recipient: at("actual.recipient == $recipient", "wrong_target_modified"),
      sent_twice: once,
      delivery_unknown: at(
        "actual.status in ['sent', 'delivered', 'bounced', 'rejected', 'quarantined', 'suppressed']",
        "unknown_state"
      )
    },
    parameters: {
      sender: at("actual.sender == $sender", "value_mismatch"),
      subject: at("actual.subjectHash == $subjectHash", "value_mismatch"),
      body: at("actual.bodyHash == $bodyHash", "value_mismatch"),
      delivered: at("actual.status != 'sent'", "propagation_delay"),
      aligned: at("actual.dkim == 'pass' && actual.dmarc == 'pass'", "value_mismatch")
    }
  },
  calendar: {
    source: "service_api",
    reads: "the event by its id, from the calendar itself, with its attendees and what it overlaps",
    indicators: {
      missing_event: exists,
      wrong_timezone: at("actual.timezone == $timezone", "value_mismatch"),
      duplicate_event: once,
      invitation_failed: at("actual.attendees.all(each, each.invited == true)", "partial_application"),
      permission_mismatch: at("actual.access == $access", "wrong_target_modified"),
      conflicting_booking: at("size(actual.conflicts) == 0", "value_mismatch")
    },
    parameters: {
      organizer: at("actual.organizer == $organizer", "wrong_target_modified"),
      calendar: at("actual.calendar == $calendar", "wrong_target_modified"),
      time: at("actual.start == $start && actual.end == $end", "value_mismatch"),
      attendees: at("$attendees.all(email, actual.attendees.exists(each, each.email == email))", "partial_application"),
      accepted: at("actual.attendees.all(each, each.response == 'accepted')", "value_mismatch"),
      recurrence: at("actual.recurrence == $recurrence", "value_mismatch"),
      conferencing: at("actual.conferencing == $conferencing", "value_mismatch"),
      reminders: at("actual.reminders == $reminders", "value_mismatch"),
      status: at("actual.status == $status", "value_mismatch")
    }
  },
  payments: {
    source: "provider_ledger",
    reads: "the transaction and how many there are under the key, and the entry in the own ledger",
    indicators: {
      declined: at("actual.status != 'declined'", "no_op_failure"),
      duplicate_charge: once,
      amount_differs: at("actual.amount == $amount && actual.currency == $currency", "value_mismatch"),
      pending_too_long: at(
        "actual.status in ['authorized', 'captured', 'settled', 'refunded', 'voided', 'declined', 'settlement_failed']",
        "unknown_state"
      ),
      settlement_failed: at("actual.status != 'settlement_failed'", "partial_application"),
      refund_differs: at("actual.refunded == $refunded", "value_mismatch"),
      ledgers_diverge: at("actual.status == 'declined' || actual.ledger == actual.amount", "partial_application")
    },
    parameters: {
      transaction: identified,
      key: keyed,
      account: at("actual.account == $account", "wrong_target_modified"),
      state: at("actual.status == $status", "value_mismatch")
    }
  },
  ticketing: {
    source: "service_api",
    reads: "the record, who edits it, and the history of its changes",
    indicators: {
      field_not_updated: at("actual.values == $values", "no_op_failure"),
      wrong_assignee: at("actual.assignee == $assignee", "value_mismatch"),
      duplicate_ticket: once,
      record_locked: at("actual.lockedBy == null", "unknown_state"),
      stale_state: at("actual.basis == null || actual.basis == $version", "stale_state"),
      no_history_entry: at("$trace in actual.history", "value_mismatch")
    },
    parameters: {
      object: identified,
      tenant,
      status: at("actual.status == $status", "no_op_failure"),
      comment: at("$comment in actual.comments", "value_mismatch"),
      actor,
      workflow: at("actual.workflow == $workflow", "wrong_target_modified"),
      timestamp: at("actual.updated >= $since", "stale_state")
    }
  },
  deployment: {
    source: "production_controller",
    reads: "the rollout, what each region runs, its health checks and the error budget",
    indicators: {
      crash_loop: at("actual.restarts == 0", "partial_application"),
      not_ready: at("actual.ready == actual.replicas", "partial_application"),
      rolled_back: at("actual.rolledBack == false", "no_op_failure"),
      wrong_artifact: at("actual.artifact == $artifact", "value_mismatch"),
      partial_regions: at("$regions.all(region, region in actual.regions)", "partial_application"),
      error_budget_burnt: at("actual.errorRate <= $errorRate", "value_mismatch"),
      no_approval: at("actual.approval == $approval", "wrong_target_modified")
    },
    parameters: {
      environment: at("actual.environment == $environment", "wrong_target_modified"),
      stage: at(
        "actual.rolledBack == true || actual.ready < actual.replicas || actual.stage == $stage",
        "propagation_delay"
      ),
      healthy: at("actual.healthy == true", "partial_application")
    }
  },
  procurement: {
    source: "service_api",
    reads: "the order, its approval, the catalogue and the ledger of the budget",
    indicators: {
      vendor_not_authorized: at("actual.listed == true", "wrong_target_modified"),
      price_differs: at("actual.amount == $amount && actual.currency == $currency", "value_mismatch"),
      over_budget: at("actual.remaining >= 0", "value_mismatch"),
      no_approval: at("actual.status == 'rejected' || $approver in actual.approvals", "value_mismatch"),
      duplicate_order: once,
      rejected: at("actual.status != 'rejected'", "no_op_failure")
    },
    parameters: {
      order: identified,
      item: at("actual.vendor == $vendor && actual.sku == $sku", "wrong_target_modified"),
      allocation: at("actual.allocation == $allocation", "wrong_target_modified"),
      terms: at("actual.terms == $terms", "value_mismatch"),
      requester: at("actual.requester == $requester", "wrong_target_modified")
    }
  },
  browser: {
    source: "service_api",
    reads: "the page after the action, and what the server says where it can be asked",
    indicators: {
      element_missing: at(
        "actual.element == true || actual.captcha == true || size(actual.errors) > 0 || actual.url != $url",
        "unknown_state"
      ),
      captcha: at("actual.captcha == false", "no_op_failure"),
      wrong_page: at("actual.url == $url", "value_mismatch"),
      form_invalid: at("size(actual.errors) == 0", "no_op_failure"),
      wrong_account: at(
        "(actual.account == null && actual.url != $url) || actual.account == $account",
        "wrong_target_modified"
      ),
      hash_differs: at("actual.hash == $hash", "value_mismatch")
    },
    parameters: {
      values: at("actual.values == $values", "value_mismatch"),
      no_banner: at("actual.banner == null", "value_mismatch"),
      confirmed: at("actual.confirmed == true", "no_op_failure")
    }
  },
  security: {
    source: "audit_trail",
    reads: "the principal's grants, the policy, the audit log and a live token",
    indicators: {
      escalated: at("actual.scopes.all(scope, scope in $scopes)", "value_mismatch"),
      wrong_principal: at("actual.principal == $principal", "wrong_target_modified"),
      no_audit_event: audited,
      wildcard: at("!actual.scopes.exists(scope, scope.contains('*'))", "value_mismatch"),
      stale_token: at("actual.tokenVersion == actual.policyVersion", "propagation_delay"),
      policy_differs: at("actual.policyVersion == $policyVersion", "stale_state")
    },
    parameters: {
      granted: at("$granted.all(scope, scope in actual.scopes)", "no_op_failure"),
      removed: at("!$removed.exists(scope, scope in actual.scopes)", "no_op_failure"),
      diff: at("actual.diff == $diff", "value_mismatch"),
      approval: at("actual.approval == $approval", "value_mismatch"),
      actor
    }
  },
  queue: {
    source: "event_ledger",
    reads: "the message, what its consumer did with it, what it overtook, and the state that it was to bring about",
    indicators: {
      stuck: at("actual.status in ['done', 'failed', 'dead_letter']", "propagation_delay"),
      duplicate: once,
      dead_letter: at("actual.status != 'dead_letter'", "partial_application"),
      consumer_failed: at("actual.status != 'failed'", "partial_application"),
      out_of_order: at("size(actual.overtaken) == 0", "value_mismatch"),
      no_downstream_state: at("actual.status != 'done' || actual.downstream != null", "partial_application")
    },
    parameters: {
      topic: at("actual.topic == $topic", "wrong_target_modified"),
      message: identified,
      key: keyed,
      group: at("actual.status in ['queued', 'processing'] || actual.group == $group", "wrong_target_modified"),
      state: at("actual.downstream == $state", "value_mismatch")
    }
  },
  vector_index: {
    source: "service_api",
    reads:
      "the document's metadata, and whether a search finds it, as one for whom it is meant and as one for whom it is not",
    indicators: {
      missing_document: exists,
      wrong_embedding: at("actual.embedding == $embedding", "value_mismatch"),
      stale_index: at("actual.index == $index", "propagation_delay"),
      permission_leak: at("actual.readers.all(reader, reader in $readers)", "wrong_target_modified"),
      not_retrieved: at("actual.retrieved == true", "partial_application")
    },
    parameters: {
      document: identified,
      checksum: at("actual.checksum == $checksum", "value_mismatch"),
      snapshot: at("actual.snapshot == $snapshot", "propagation_delay"),
      readable: at("$readers.all(reader, reader in actual.readers)", "partial_application")
    }
  }
} as const satisfies Readonly<Record<string, Pattern>>

/** Name of a pattern. */
export type PatternName = keyof typeof patterns

/** The failures that a pattern knows. */
export type IndicatorOf<Name extends PatternName> = Name extends PatternName
  ? keyof (typeof patterns)[Name]["indicators"] & string
  : never

/** The further checks of a pattern. */
export type ParameterOf<Name extends PatternName> = Name extends PatternName
  ? keyof (typeof patterns)[Name]["parameters"] & string
  : never
