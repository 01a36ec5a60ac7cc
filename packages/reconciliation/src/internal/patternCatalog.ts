import type { Pattern } from "../VerificationPattern.ts"

const at = (expect: string, name: Pattern["indicators"][string]["class"]) => ({ expect, class: name }) as const
const exists = at("actual.exists == true", "no_op_failure")
const once = at("actual.count == 1", "duplicate_side_effect")
const tenant = at("actual.tenant == $tenant", "wrong_target_modified")
const logged = at("actual.logged == true", "value_mismatch")

/** The seed's twelve patterns, with a predicate for each failure that it lists. */
export const patterns = {
  database: {
    source: "primary",
    reads: "the row by its key, from the writer or a read that is bound to the commit",
    indicators: {
      missing_row: exists,
      stale_version: at("actual.version > $version", "stale_state"),
      wrong_tenant: tenant,
      values_differ: at("actual.values == $values", "value_mismatch"),
      lock_timeout: at("actual.locked == false", "unknown_state"),
      freshness_not_guaranteed: at("actual.fresh == true", "propagation_delay")
    }
  },
  filesystem: {
    source: "sandbox_monitor",
    reads: "the resolved path, and what is there",
    indicators: {
      path_escapes: at("actual.path.startsWith($root)", "wrong_target_modified"),
      missing_file: exists,
      hash_differs: at("actual.hash == $hash", "value_mismatch"),
      extension_not_allowed: at("actual.extension in $extensions", "value_mismatch"),
      unexpected_mode: at("actual.mode == $mode", "value_mismatch"),
      destructive: at("actual.removed == 0", "wrong_target_modified")
    }
  },
  email: {
    source: "provider_status",
    reads: "the message by the provider's id or the key",
    indicators: {
      bounced: at("actual.status != 'bounced'", "value_mismatch"),
      rejected: at("actual.status != 'rejected'", "value_mismatch"),
      quarantined: at("actual.status != 'quarantined'", "value_mismatch"),
      suppressed: at("actual.suppressed == false", "no_op_failure"),
      wrong_recipient: at("actual.recipient == $recipient", "wrong_target_modified"),
      sent_twice: once,
      delivery_unknown: at("actual.status in ['sent', 'delivered']", "unknown_state")
    }
  },
  calendar: {
    source: "service_api",
    reads: "the event by its id, from the calendar itself",
    indicators: {
      missing_event: exists,
      wrong_timezone: at("actual.timezone == $timezone", "value_mismatch"),
      duplicate_event: once,
      invitation_failed: at("actual.uninvited == 0", "partial_application"),
      wrong_calendar: at("actual.calendar == $calendar", "wrong_target_modified"),
      conflicting_booking: at("actual.conflicts == 0", "value_mismatch")
    }
  },
  payments: {
    source: "provider_ledger",
    reads: "the transaction by its key, and the entry in the own ledger",
    indicators: {
      declined: at("actual.status != 'declined'", "no_op_failure"),
      duplicate_charge: once,
      amount_differs: at("actual.amount == $amount && actual.currency == $currency", "value_mismatch"),
      pending_too_long: at("actual.status != 'pending'", "unknown_state"),
      settlement_failed: at("actual.status != 'settlement_failed'", "partial_application"),
      refund_differs: at("actual.refunded == $refunded", "value_mismatch"),
      ledgers_diverge: at("actual.ledger == actual.amount", "partial_application")
    }
  },
  ticketing: {
    source: "service_api",
    reads: "the record and the history of its changes",
    indicators: {
      field_not_updated: at("actual.values == $values", "no_op_failure"),
      wrong_assignee: at("actual.assignee == $assignee", "value_mismatch"),
      duplicate_ticket: once,
      record_locked: at("actual.locked == false", "unknown_state"),
      stale_state: at("actual.version > $version", "stale_state"),
      no_history_entry: logged
    }
  },
  deployment: {
    source: "production_controller",
    reads: "the rollout, its health checks and the error budget",
    indicators: {
      crash_loop: at("actual.restarts == 0", "value_mismatch"),
      not_ready: at("actual.ready == actual.replicas", "partial_application"),
      rolled_back: at("actual.rolledBack == false", "value_mismatch"),
      wrong_artifact: at("actual.artifact == $artifact", "wrong_target_modified"),
      partial_regions: at("actual.regions == $regions", "partial_application"),
      error_budget_burnt: at("actual.errorRate <= $errorRate", "value_mismatch"),
      no_approval: at("actual.approval == $approval", "wrong_target_modified")
    }
  },
  procurement: {
    source: "service_api",
    reads: "the order, its approval, the catalogue and the budget",
    indicators: {
      vendor_not_authorized: at("actual.vendor == $vendor && actual.sku == $sku", "wrong_target_modified"),
      price_differs: at("actual.amount == $amount", "value_mismatch"),
      over_budget: at("actual.amount <= actual.budget", "value_mismatch"),
      no_approval: at("actual.approved == true", "value_mismatch"),
      duplicate_order: once,
      rejected: at("actual.status != 'rejected'", "no_op_failure")
    }
  },
  browser: {
    source: "service_api",
    reads: "the page after the action, and what the server says where it can be asked",
    indicators: {
      element_missing: at("actual.element == true", "unknown_state"),
      captcha: at("actual.captcha == false", "no_op_failure"),
      wrong_page: at("actual.url == $url", "value_mismatch"),
      form_invalid: at("actual.errors == 0", "no_op_failure"),
      wrong_account: at("actual.account == $account", "wrong_target_modified"),
      hash_differs: at("actual.hash == $hash", "value_mismatch")
    }
  },
  security: {
    source: "audit_trail",
    reads: "the principal's grants, the policy, the audit log and a live token",
    indicators: {
      escalated: at("actual.scopes == $scopes", "value_mismatch"),
      wrong_principal: at("actual.principal == $principal", "wrong_target_modified"),
      no_audit_event: logged,
      wildcard: at("!('*' in actual.scopes)", "value_mismatch"),
      stale_token: at("actual.tokenVersion == actual.policyVersion", "propagation_delay"),
      policy_differs: at("actual.policyVersion == $policyVersion", "stale_state")
    }
  },
  queue: {
    source: "event_ledger",
    reads: "the message, its consumers and the state that it was to bring about",
    indicators: {
      stuck: at("actual.status != 'queued'", "propagation_delay"),
      duplicate: once,
      dead_letter: at("actual.deadLetter == false", "value_mismatch"),
      consumer_failed: at("actual.status != 'failed'", "partial_application"),
      out_of_order: at("actual.position > $after", "value_mismatch"),
      no_downstream_state: at("actual.downstream == true", "partial_application")
    }
  },
  vector_index: {
    source: "service_api",
    reads: "the document's metadata, and whether a search finds it for whom it is meant",
    indicators: {
      missing_document: exists,
      wrong_embedding: at("actual.embedding == $embedding", "value_mismatch"),
      stale_index: at("actual.index == $index", "propagation_delay"),
      permission_leak: at("actual.readers == $readers", "wrong_target_modified"),
      not_retrieved: at("actual.retrieved == true", "partial_application")
    }
  }
} as const satisfies Readonly<Record<string, Pattern>>
