/** The words of a discrepancy: the meaning of its class, its facts, and changes of a record. */
import type { Words } from "../../said/Words.ts"

/** The meaning of each class. */
export const discrepancies: Words["discrepancies"] = {
  no_op_success: "the target was as intended before the action ran",
  no_op_failure: "the target had to change and did not",
  value_mismatch: "the target changed, and not to what the predicates require",
  stale_state: "somebody changed the target between planning and execution",
  partial_application: "some of the required parts took effect and others did not",
  duplicate_side_effect: "one logical operation had its effect more than once",
  wrong_target_modified: "the effect is on another resource, tenant, region, user or account than was authorised",
  target_missing: "the target does not exist, or was deleted meanwhile",
  propagation_delay: "the authoritative side has committed, and what depends on it lags behind",
  unverifiable_state: "there is no reliable way to read what happened",
  compensation_required: "what was committed has to be reversed",
  unknown_state: "it cannot be told whether the action took effect"
}

/** The facts that a discrepancy rests on. */
export const facts: Words["facts"] = {
  "answer.first": "the answer of its first call",
  "answer.status": "the tool's answer",
  "contract.strong_source": "the contract names a source of a strong read",
  "delay.passed": "the consistency delay has passed",
  "effect.wanted": "the effect is wanted",
  "key.recorded": "the key is on record",
  "read.strong": "the read was strong",
  "record.as_before": "the record is as it was before the transaction",
  "record.conclusive": "the system of record says what happened",
  "record.effects": "effects of one operation",
  "record.readable": "the system of record answers",
  "record.single": "one entry under one key",
  "record.way": "a way to read the result",
  "reversal.done": "the reversal was done",
  "target.changed": "the target changed",
  "target.there": "the target is there",
  "target.version": "the version that was planned on",
  "transaction.committed": "the transaction was committed",
  "transaction.in_time": "it was verified in the time of the contract",
  "version.later": "the record is not earlier than the commit"
}

/** The differences between a record and the one that was read before. */
export const differences: Words["differences"] = {
  expectation: ({ holds, source }) => `${source} ${holds ? "holds now" : "holds no longer"}`,
  key: () => "the record of its key says something else than before",
  reversal: () => "what would undo it is another call by now"
}
