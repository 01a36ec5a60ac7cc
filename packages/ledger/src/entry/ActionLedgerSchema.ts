/**
 * The JSON Schema of a ledger entry, for readers who have no TypeScript.
 *
 * It has exactly the fields of the schema of Action Verification, so tools made for either can read both. The
 * descriptions and the `$id` are those of Backstitch.
 *
 * @source Action Verification, "Action Ledger Entry Schema"
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"

interface Schema {
  readonly [key: string]: unknown
}

const text = (description: string): Schema => ({ type: "string", description })
const textOrNull = (description: string): Schema => ({ type: ["string", "null"], description })
const time = (description: string): Schema => ({ type: "string", format: "date-time", description })
const timeOrNull = (description: string): Schema => ({ type: ["string", "null"], format: "date-time", description })
const oneOf = (description: string, values: ReadonlyArray<string>): Schema => ({
  type: "string",
  enum: values,
  description
})
const closed = (description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
  description
})

const toolContract = closed("The contract that the call was made under.", {
  name: text("Name of the tool."),
  version: text("Version of the pack that holds its contract."),
  schema_version: text("Digest of the pack, which fixes the schemas of arguments and answer."),
  wrapper_version: text(
    "The code that decided the call: rules and expression engine that its run pins, or `unrecorded`."
  )
})

const policyContext = closed("Versions of the rules that were in force.", {
  autonomy_boundary_version: text("The limits within which the agent acted by itself."),
  approval_policy_version: text("The rules on calls that need a person."),
  verification_policy_version: text("The rules by which the result was to be proven."),
  recovery_policy_version: text("The table by which recovery was chosen; `none` if none was needed.")
})

const idempotency = closed("The key by which a repetition is recognised.", {
  required: { type: "boolean", description: "`true` if the action needs a key." },
  key_hash: textOrNull("Digest of the key; the key itself stays in the trace."),
  request_hash: textOrNull("Digest of what was asked under the key."),
  status: {
    type: ["string", "null"],
    enum: ["PENDING", "COMPLETED", "FAILED_RETRYABLE", "FAILED_FINAL", "COMPENSATED", "EXPIRED", null],
    description: "The status of the key."
  }
})

const approval = closed("The permission that a person gave.", {
  required: { type: "boolean", description: "`true` if a person had to agree." },
  approval_id: textOrNull("The approval."),
  approver_id: textOrNull("The person who gave it."),
  payload_hash: textOrNull("Digest of the arguments that it was given for."),
  expires_at: timeOrNull("The time at which it lapses.")
})

const execution = closed("The attempt.", {
  status: oneOf("The progress of the attempt.", [
    "NOT_EXECUTED",
    "EXECUTING",
    "ACCEPTED",
    "PENDING",
    "COMMITTED",
    "FAILED",
    "UNKNOWN"
  ]),
  observation_pointer: textOrNull("The place of the tool's answer in the trace."),
  attempt_count: {
    type: "integer",
    minimum: 0,
    description: "The number of times that it was sent. An attempt that the record before it stopped does not count."
  }
})

const verification = closed("The proof.", {
  status: oneOf("The result of reading the system of record.", [
    "NOT_REQUIRED",
    "NOT_STARTED",
    "PENDING",
    "VERIFIED",
    "FAILED",
    "TIMEOUT",
    "UNVERIFIABLE"
  ]),
  source: textOrNull("The sources that were read, `status` if the key was asked about, or `webhook` for a delivery."),
  query_pointer: textOrNull("The place of the question in the trace, if it is on record."),
  verified_state_pointer: textOrNull("The place of its answer in the trace.")
})

const reconciliation = closed("The meaning of the proof for the goal.", {
  status: oneOf("The verdict.", [
    "NOT_STARTED",
    "RECONCILED_SUCCESS",
    "RECONCILED_PARTIAL",
    "RECONCILED_FAILURE",
    "UNKNOWN",
    "COMPENSATED",
    "ROLLED_BACK",
    "REVIEW_REQUIRED"
  ]),
  discrepancy_class: textOrNull("The way in which the world differs from the intent."),
  recovery_decision: textOrNull("The decision of the recovery table.")
})

const recovery = closed("The steps against a discrepancy.", {
  recovery_action_id: textOrNull("The recorded decision."),
  compensation_action_id: textOrNull("The action that reversed this one."),
  rollback_action_id: textOrNull("The transition that aborted its local transaction."),
  incident_id: textOrNull("The incident that was opened."),
  review_id: textOrNull("The review that a person was asked for.")
})

/** The schema (JSON Schema 2020-12). */
export const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "urn:backstitch:schema:action-ledger-entry:1",
  title: "ActionLedgerEntry",
  description: "The intended change of an action, its real one, the approval, the proof, and the recovery.",
  type: "object",
  required: [
    "action_id",
    "workflow_run_id",
    "tenant_id",
    "principal_id",
    "tool_contract",
    "policy_context",
    "side_effect_class",
    "intended_outcome",
    "requested_operation",
    "execution",
    "verification",
    "reconciliation",
    "timestamps",
    "trace"
  ],
  additionalProperties: false,
  properties: {
    action_id: text("Names the action within its run."),
    workflow_run_id: text("The run."),
    tenant_id: text("The tenant of the run."),
    principal_id: text("The agent that proposed it, or as whom it was started; without either, its author."),
    tool_contract: toolContract,
    policy_context: policyContext,
    side_effect_class: oneOf(
      "The kind of change that the tool makes.",
      ToolContract.sideEffects.map((name) => name.toUpperCase())
    ),
    idempotency,
    approval,
    intended_outcome: closed("The state that was to become true.", {
      target_resource: text("The resource that was to change."),
      expected_predicates: {
        type: "array",
        items: { type: "string" },
        description: "Conditions over authoritative state, as the contract in force at the proof has them."
      }
    }),
    requested_operation: closed("The request to the tool.", {
      validated_payload_hash: text("Digest of the arguments that passed validation."),
      target_resource: text("The resource that the arguments name."),
      operation_kind: text("The operation.")
    }),
    execution,
    verification,
    reconciliation,
    recovery,
    timestamps: closed("The times at which the phases were reached.", {
      proposed_at: time("The agent proposed it."),
      validated_at: timeOrNull("It passed every check."),
      executed_at: timeOrNull("It was first sent, or about to be; `null` if nothing was sent."),
      verified_at: timeOrNull("The system of record was read."),
      reconciled_at: timeOrNull("It was settled.")
    }),
    trace: closed("The places to look further.", {
      trace_id: text("Trace of the telemetry."),
      parent_span_id: textOrNull(
        "Span of the action in that trace, `backstitch.action`; those of its phases are below it."
      ),
      replay_bundle_id: textOrNull("The bundle that replays it; none is on record.")
    })
  }
} as const satisfies Schema
