/** The words of measures: the two counts of each. */
import type { Words } from "../../said/Words.ts"

/** The counts of each measure. */
export const measures: Words["measures"] = {
  verification_success: {
    denominator: "mutations that were sent",
    numerator: "of them, reconciled as a success at trust 3 or more"
  },
  verification_failure: { denominator: "mutations that were sent", numerator: "of them, found not to be as intended" },
  verification_latency: {
    denominator: "actions that were read back",
    numerator: "time from the answer to the read that settled it"
  },
  time_to_reconcile: {
    denominator: "actions that were settled",
    numerator: "time from the first sending to the settlement"
  },
  read_after_write_failure: {
    denominator: "mutations that were sent",
    numerator: "of them, with a readback that did not confirm"
  },
  discrepancy: { denominator: "actions that were read back", numerator: "of them, with a discrepancy" },
  stale_state: {
    denominator: "mutations that were begun",
    numerator: "of them, on a target that somebody had changed"
  },
  partial_failure: { denominator: "mutations that were sent", numerator: "of them, committed in part" },
  pending_too_long: { denominator: "mutations that were pending", numerator: "of them, for longer than allowed" },
  unknown_state: { denominator: "mutations that were sent", numerator: "of them, unknown at some time" },
  duplicate_action: { denominator: "mutations that were proposed", numerator: "of them, with more than one effect" },
  idempotency_recovery: {
    denominator: "sendings after the first, and intents adopted",
    numerator: "of them, settled with one effect"
  },
  compensation: { denominator: "mutations that were proposed", numerator: "compensations that were sent" },
  compensation_success: { denominator: "compensations that were sent", numerator: "of them, verified" },
  failed_compensation: { denominator: "compensations that were sent", numerator: "of them, failed" },
  false_success_escape: {
    denominator: "claims of a success in messages",
    numerator: "of them, before there was one, or after it was reversed"
  },
  human_escalation: { denominator: "mutations that were sent", numerator: "of them, that a person was asked about" },
  ledger_completeness: {
    denominator: "mutations that were proposed",
    numerator: "of them, with an entry that lacks nothing"
  },
  verifier_regression: { denominator: "one", numerator: "rise of the failure rate against the baseline" }
}
