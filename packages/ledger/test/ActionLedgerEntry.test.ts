import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionLedgerEntry from "../src/history/ActionLedgerEntry.ts"
import * as ActionLedgerSchema from "../src/history/ActionLedgerSchema.ts"
import * as ActionState from "../src/payload/ActionState.ts"
import { booked, ok, requested, type Step, started, step, trace } from "./actions.ts"

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: { "date-time": instant } })
const validate = ajv.compile(ActionLedgerSchema.schema)

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.travel",
    version: "1.0.0",
    state: { world: {}, working: {} },
    tools: {
      book: {
        class: "high_risk_external",
        idempotency: "idempotent_write",
        input: { flight: "string" },
        target: "'seat/' + args.flight",
        identity: { scope: "goal", fields: [{ flight: "code" }] },
        times: { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" },
        status: "by_key",
        readback: { source: "primary", expect: ["actual == observed"], within: "30s", consistency: "strong" },
        undo: { class: "K", by: "cancel", with: {} },
        reads: [],
        writes: [],
        assumes: []
      },
      cancel: {
        class: "high_risk_external",
        idempotency: "effectful",
        identity: "none",
        input: {},
        undo: { class: "X" }
      }
    }
  })
)
const context: ActionLedgerEntry.Context = {
  run: "trip-1",
  tenant: "acme",
  principal: "ada",
  pack,
  wrapper: "runtime@0.1.0",
  recoveryPolicy: "recovery@1"
}
const entries = (...steps: ReadonlyArray<Step>) => ActionLedgerEntry.all(trace(...steps), context)
const entry = (...steps: ReadonlyArray<Step>) => entries(...steps)[0]!
const begun = [requested("a1"), started("a1")]

describe("ActionLedgerEntry", () => {
  it("names the intended change, the real change, its proof, and the place to look", () => {
    const done = entry(...booked("a1"))
    assert.isTrue(validate(done), JSON.stringify(validate.errors))
    assert.deepInclude(done, {
      action_id: "a1",
      workflow_run_id: "trip-1",
      side_effect_class: "HIGH_RISK_EXTERNAL",
      intended_outcome: { target_resource: "seat/LX1", expected_predicates: ["actual == observed"] },
      execution: { status: "COMMITTED", observation_pointer: "trip-1#3", attempt_count: 1 },
      verification: {
        status: "VERIFIED",
        source: "primary",
        query_pointer: "trip-1#2",
        verified_state_pointer: "trip-1#4"
      },
      reconciliation: { status: "RECONCILED_SUCCESS", discrepancy_class: null, recovery_decision: null }
    })
    assert.strictEqual(done.idempotency.status, "COMPLETED")
    assert.notInclude(JSON.stringify(done), "key-a1")
    assert.strictEqual(done.timestamps.executed_at, "1970-01-01T00:00:02.000Z")
    assert.deepStrictEqual(ActionLedgerEntry.missing(done), [])
  })

  it("keeps accepted, pending, unknown and failed executions apart", () => {
    const status = (...steps: ReadonlyArray<Step>) => entry(...begun, ...steps).execution.status
    assert.strictEqual(entry(requested("a1")).execution.status, "NOT_EXECUTED")
    assert.strictEqual(status(), "EXECUTING")
    assert.strictEqual(status(step("action.result", "a1", ok, { stage: "accepted" })), "ACCEPTED")
    assert.strictEqual(status(step("action.result", "a1", ok)), "PENDING")
    assert.strictEqual(status(step("action.result", "a1", { status: "unknown" })), "UNKNOWN")
    assert.strictEqual(status(step("action.result", "a1", { status: "error" })), "FAILED")
  })

  it("calls an action that the tool's own answer settled unverifiable, and says that a read needs no proof", () => {
    const attested = step("action.reconciled", "a1", { status: "ok", basis: "attested", trust: 1 })
    const word = entry(...begun, step("action.result", "a1", ok), attested)
    assert.strictEqual(word.verification.status, "UNVERIFIABLE")
    assert.strictEqual(word.reconciliation.status, "UNKNOWN")
    const read = entry(requested("a1", { tool: "look", class: "read_only" }), step("action.result", "a1", ok))
    assert.strictEqual(read.verification.status, "NOT_REQUIRED")
    assert.strictEqual(read.reconciliation.status, "NOT_STARTED")
  })

  it("follows a key through its six statuses", () => {
    const key = (now: number | undefined, ...steps: ReadonlyArray<Step>) =>
      ActionLedgerEntry.all(trace(...steps), { ...context, ...(now === undefined ? {} : { now }) })[0]!.idempotency
        .status
    const failed = step("action.result", "a1", { status: "error" })
    const undone = [
      requested("a2", { tool: "cancel", undoes: "a1" }),
      started("a2"),
      step("action.reconciled", "a2", { ...ok, trust: 2 })
    ]
    assert.isNull(key(undefined, requested("a1")))
    assert.strictEqual(key(undefined, ...begun), "PENDING")
    assert.strictEqual(key(24 * 3_600_000 + 2_000, ...begun), "EXPIRED")
    assert.strictEqual(key(24 * 3_600_000 + 1_999, ...begun), "PENDING")
    assert.strictEqual(key(undefined, ...booked("a1")), "COMPLETED")
    assert.strictEqual(key(undefined, ...begun, failed), "FAILED_RETRYABLE")
    assert.strictEqual(
      key(undefined, ...begun, failed, step("action.reconciled", "a1", { status: "error" })),
      "FAILED_FINAL"
    )
    assert.strictEqual(key(undefined, ...booked("a1"), ...undone), "COMPENSATED")
  })

  it("calls nothing a success that another action reverses or has reversed (L8)", () => {
    const status = (...steps: ReadonlyArray<Step>) => entry(...booked("a1"), ...steps).reconciliation.status
    const begins = [requested("a2", { tool: "cancel", undoes: "a1" }), started("a2")]
    const settles = (as: "ok" | "error") => step("action.reconciled", "a2", { status: as, basis: "readback", trust: 3 })
    assert.strictEqual(status(), "RECONCILED_SUCCESS")
    assert.strictEqual(status(...begins), "UNKNOWN")
    assert.strictEqual(status(...begins, step("action.result", "a2", ok), settles("ok")), "COMPENSATED")
    assert.strictEqual(status(...begins, settles("error")), "REVIEW_REQUIRED")
  })

  it("is complete if the record was as intended before anything was sent: verified, and not executed", () => {
    const seen = step("action.verified", "a1", { status: "ok", trust: 1 }, { before: { found: true, met: true } })
    const settled = step("action.reconciled", "a1", { status: "ok", basis: "readback", trust: 3 })
    const found = entry(requested("a1"), started("a1"), seen, settled)
    assert.deepStrictEqual(
      [found.execution.status, found.verification.status, found.reconciliation.status],
      ["NOT_EXECUTED", "VERIFIED", "RECONCILED_SUCCESS"]
    )
    assert.deepStrictEqual(ActionLedgerEntry.missing(found), [])
  })

  it("names the gaps of an entry, so that completeness can be measured", () => {
    const unkeyed = entry(requested("a1"), step("action.started", "a1"), step("action.result", "a1", ok))
    assert.includeMembers([...ActionLedgerEntry.missing(unkeyed)], ["idempotency.request_hash", "idempotency.key_hash"])
    const mismatch = step("action.verified", "a1", { status: "mismatch" })
    assert.includeMembers(
      [...ActionLedgerEntry.missing(entry(...begun, step("action.result", "a1", ok), mismatch))],
      ["reconciliation.discrepancy_class", "reconciliation.recovery_decision"]
    )
    const done = entry(...booked("a1"))
    for (const status of ["ACCEPTED", "PENDING", "COMMITTED"] as const) {
      const execution = { ...done.execution, status, observation_pointer: null }
      assert.include(ActionLedgerEntry.missing({ ...done, execution }), "execution.observation_pointer")
    }
    const read = requested("a3", { tool: "look", class: "read_only" })
    const all = entries(...booked("a1"), requested("a2"), step("action.started", "a2"), read)
    assert.deepStrictEqual(ActionLedgerEntry.completeness(all), { complete: 1, required: 2 })
  })

  it("points at the roll-back of an action that was rolled back, and at none of any other", () => {
    const open = step("action.result", "a1", ok, { transaction: "open" })
    const ends = step("action.reconciled", "a1", { status: "error", basis: "readback" }, { state: "rolled_back" })
    const rolledBack = entry(...begun, open, ends)
    assert.strictEqual(rolledBack.recovery.rollback_action_id, "trip-1#4")
    assert.isNull(entry(...booked("a1")).recovery.rollback_action_id)
  })

  it("takes an unknown class for the gravest", () => {
    const odd = requested("a1", { tool: "summon", class: "magic" })
    assert.strictEqual(entry(odd).side_effect_class, "CRITICAL_MUTATION")
  })

  const Report = Schema.Struct({
    type: Schema.Literals([
      "policy.decision",
      "action.started",
      "action.result",
      "action.verified",
      "action.reconciled",
      "recovery.decided",
      "review.requested",
      "review.decided"
    ]),
    status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
    state: Schema.NullOr(ActionState.State)
  })

  it.prop(
    "validates against the published schema, whatever the trace reports",
    [Schema.Array(Report)],
    ([reports]) => {
      const approval = { id: "ok-1", approver: "eve", requestHash: "h", expiresAt: 5_000 }
      const steps = reports.map(({ state, status, type }) =>
        step(type, "a1", { status }, { approval, decision: "hold", ...(state === null ? {} : { state }) })
      )
      const found = entry(requested("a1"), ...steps)
      assert.isTrue(validate(found), JSON.stringify(validate.errors))
      return true
    },
    { arbitrary: { runs: 400 } }
  )

  it("refuses an entry with a field too many, one too few, or a status that is none", () => {
    const good = entry(...booked("a1"))
    const { trace: _, ...less } = good
    assert.isFalse(validate(less))
    assert.isFalse(validate({ ...good, mood: "confident" }))
    assert.isFalse(validate({ ...good, execution: { ...good.execution, status: "DONE" } }))
  })
})

/** The fields of Action Verification's ledger entry, and of each of its sections. */
const published: Readonly<Record<string, string>> = {
  action_id: "",
  approval: "approval_id approver_id expires_at payload_hash required",
  execution: "attempt_count observation_pointer status",
  idempotency: "key_hash request_hash required status",
  intended_outcome: "expected_predicates target_resource",
  policy_context:
    "approval_policy_version autonomy_boundary_version recovery_policy_version verification_policy_version",
  principal_id: "",
  reconciliation: "discrepancy_class recovery_decision status",
  recovery: "compensation_action_id incident_id recovery_action_id review_id rollback_action_id",
  requested_operation: "operation_kind target_resource validated_payload_hash",
  side_effect_class: "",
  tenant_id: "",
  timestamps: "executed_at proposed_at reconciled_at validated_at verified_at",
  tool_contract: "name schema_version version wrapper_version",
  trace: "parent_span_id replay_bundle_id trace_id",
  verification: "query_pointer source status verified_state_pointer",
  workflow_run_id: ""
}

describe("ActionLedgerSchema", () => {
  it("has words for every field", () => {
    const walk = (node: unknown, at: string): void => {
      if (typeof node !== "object" || node === null) return
      for (const [name, property] of Object.entries((node as { properties?: object }).properties ?? {})) {
        assert.isString((property as { description?: unknown }).description, `${at}.${name}`)
        walk(property, `${at}.${name}`)
      }
    }
    walk(ActionLedgerSchema.schema, "entry")
  })

  it("has the fields of Action Verification's entry, and no others", () => {
    const fields = Object.entries<object>(ActionLedgerSchema.schema.properties).map(([name, section]) => {
      const { properties = {} } = section as { readonly properties?: object }
      return [name, Object.keys(properties).sort().join(" ")]
    })
    assert.deepStrictEqual(Object.fromEntries(fields), published)
  })
})
