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
  wrapper_version: text("Version of the code that made the call.")
})

const policyContext = closed("Versions of the rules that were in force.", {
  autonomy_boundary_version: text("What the agent might do by itself."),
  approval_policy_version: text("What needed a person."),
  verification_policy_version: text("How the result was to be proven."),
  recovery_policy_version: text("The table by which recovery was chosen.")
})

const idempotency = closed("How a repetition is recognised.", {
  required: { type: "boolean", description: "Whether the action needs a key." },
  key_hash: textOrNull("Digest of the key; the key itself stays in the trace."),
  request_hash: textOrNull("Digest of what was asked under the key."),
  status: {
    type: ["string", "null"],
    enum: ["PENDING", "COMPLETED", "FAILED_RETRYABLE", "FAILED_FINAL", "COMPENSATED", "EXPIRED", null],
    description: "What became of the key."
  }
})

const approval = closed("The permission that a person gave.", {
  required: { type: "boolean", description: "Whether a person had to agree." },
  approval_id: textOrNull("The approval."),
  approver_id: textOrNull("Who gave it."),
  payload_hash: textOrNull("Digest of the arguments that it was given for."),
  expires_at: timeOrNull("When it lapses.")
})

const execution = closed("The attempt.", {
  status: oneOf("How far it came.", [
    "NOT_EXECUTED",
    "EXECUTING",
    "ACCEPTED",
    "PENDING",
    "COMMITTED",
    "FAILED",
    "UNKNOWN"
  ]),
  observation_pointer: textOrNull("Where in the trace the tool's answer is."),
  attempt_count: { type: "integer", minimum: 0, description: "How often it was sent, always under one key." }
})

const verification = closed("The proof.", {
  status: oneOf("What reading the system of record came to.", [
    "NOT_REQUIRED",
    "NOT_STARTED",
    "PENDING",
    "VERIFIED",
    "FAILED",
    "TIMEOUT",
    "UNVERIFIABLE"
  ]),
  source: textOrNull("The system of record that was read."),
  query_pointer: textOrNull("What was asked of it."),
  verified_state_pointer: textOrNull("Where in the trace its answer is.")
})

const reconciliation = closed("What the proof means for the goal.", {
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
  discrepancy_class: textOrNull("In what way the world differs from what was intended."),
  recovery_decision: textOrNull("What the recovery table said to do.")
})

const recovery = closed("What was done about a discrepancy.", {
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
  description:
    "What an action was to change, what it changed, who agreed, how that was proven, and what was recovered.",
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
    tenant_id: text("Whose run it is."),
    principal_id: text("On whose behalf the agent acted."),
    tool_contract: toolContract,
    policy_context: policyContext,
    side_effect_class: oneOf(
      "What kind of change the tool makes.",
      ToolContract.sideEffects.map((name) => name.toUpperCase())
    ),
    idempotency,
    approval,
    intended_outcome: closed("What was to become true.", {
      target_resource: text("The resource that was to change."),
      expected_predicates: {
        type: "array",
        items: { type: "string" },
        description: "Conditions over authoritative state, as the contract has them."
      }
    }),
    requested_operation: closed("What was asked of the tool.", {
      validated_payload_hash: text("Digest of the arguments that passed validation."),
      target_resource: text("The resource that the arguments name."),
      operation_kind: text("The operation.")
    }),
    execution,
    verification,
    reconciliation,
    recovery,
    timestamps: closed("When each phase was reached.", {
      proposed_at: time("The agent proposed it."),
      validated_at: timeOrNull("It passed every check."),
      executed_at: timeOrNull("It was first sent, or about to be."),
      verified_at: timeOrNull("The system of record was read."),
      reconciled_at: timeOrNull("It was settled.")
    }),
    trace: closed("Where to look further.", {
      trace_id: text("Trace of the telemetry."),
      parent_span_id: textOrNull("Span of the inference that proposed it."),
      replay_bundle_id: textOrNull("What is needed to replay it.")
    })
  }
} as const satisfies Schema
