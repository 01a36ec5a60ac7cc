import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionLedgerEntry from "../src/entry/ActionLedgerEntry.ts"
import * as ActionLedgerSchema from "../src/entry/ActionLedgerSchema.ts"
import * as ActionState from "../src/machine/ActionState.ts"
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
  termsAt: () => ({ pack, rules: 3, engine: "cel" })
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
        query_pointer: null,
        verified_state_pointer: "trip-1#4"
      },
      reconciliation: { status: "RECONCILED_SUCCESS", discrepancy_class: null, recovery_decision: null }
    })
    assert.strictEqual(done.idempotency.status, "COMPLETED")
    assert.notInclude(JSON.stringify(done), "key-a1")
    assert.strictEqual(done.timestamps.executed_at, "1970-01-01T00:00:02.000Z")
    assert.deepStrictEqual(ActionLedgerEntry.missing(done), [])
  })

  it("tells each version by the moment that it is named for, and what nobody recorded as unrecorded", () => {
    const at = (version: string) => Result.getOrThrow(TaskPack.make({ ...(pack.definition as object), version }))
    const packs = [at("1.0.0"), at("2.0.0"), at("3.0.0")]
    // Asked under the first pack, sent under the second, and read back under the third.
    const termsAt = (tick: number): ActionLedgerEntry.Terms =>
      tick === 1 ? { pack: packs[0] } : { pack: packs[tick < 4 ? 1 : 2], engine: "cel@1", rules: 7 }
    const [done] = ActionLedgerEntry.all(trace(...booked("a1")), { ...context, termsAt })
    assert.deepInclude(done, {
      tool_contract: {
        name: "book",
        version: "acme.travel@2.0.0",
        schema_version: packs[1]!.digest,
        wrapper_version: "rules@7 cel@1"
      },
      policy_context: {
        autonomy_boundary_version: "acme.travel@1.0.0",
        approval_policy_version: "acme.travel@1.0.0",
        verification_policy_version: "acme.travel@3.0.0",
        recovery_policy_version: "none"
      }
    })
    const early = ActionLedgerEntry.all(trace(requested("a1")), { ...context, termsAt })[0]
    assert.strictEqual(early?.tool_contract.wrapper_version, "unrecorded")
    const held = {
      decision: "hold_and_escalate",
      discrepancy: "unknown_state",
      policyVersion: "recovery@0+abc",
      via: "silence"
    }
    const decided = entry(...begun, step("recovery.decided", "a1", undefined, held))
    assert.strictEqual(decided.policy_context.recovery_policy_version, "recovery@0+abc")
  })

  it("names what was asked for the proof, as the trace has it, and where the question is on record", () => {
    const source = (...steps: ReadonlyArray<Step>) => entry(...begun, ...steps).verification
    const answered = step("action.result", "a1", ok)
    const settled = (basis: "attested" | "status") => step("action.reconciled", "a1", { status: "ok", basis, trust: 2 })
    const read = (data?: Body["data"]) => step("action.verified", "a1", { status: "ok", trust: 2 }, data)
    assert.strictEqual(source(answered).source, null)
    assert.strictEqual(source(answered, read()).source, "primary")
    assert.strictEqual(source(answered, read({ source: "writer" })).source, "writer")
    const further = { sources: [{ source: "ledger", read: "ok" }] }
    assert.strictEqual(source(answered, read(further)).source, "primary + ledger")
    const byKey = step("action.result", "a1", { ...ok, basis: "status", trust: 2 })
    assert.strictEqual(source(byKey, settled("status")).source, "status")
    const delivered = step("action.result", "a1", { ...ok, basis: "status", trust: 2 }, { delivery: "d1" })
    assert.strictEqual(source(delivered, settled("status")).source, "webhook")
    assert.strictEqual(source(answered, settled("attested")).source, null)
    const asked = step("action.asked", "a1")
    assert.deepInclude(source(answered, asked, read()), {
      query_pointer: "trip-1#4",
      verified_state_pointer: "trip-1#5"
    })
    const unread = step("action.verified", "a1", { status: "unknown", trust: 1 }, { discrepancy: "unverifiable_state" })
    assert.deepInclude(source(answered, unread), { status: "TIMEOUT", source: null })
  })

  it("names the agent that proposed an action, or as whom it was started, and otherwise its author", () => {
    const [[asked]] = [requested("a1")]
    assert.strictEqual(entry(requested("a1")).principal_id, "agent")
    assert.strictEqual(entry([{ ...asked, author: "kernel" }]).principal_id, "kernel")
    assert.strictEqual(entry([{ ...asked, agent: "planner-2" }]).principal_id, "planner-2")
    const as = [{ type: "action.started", author: "kernel", action: { id: "a1" }, data: { actor: "ada" } }] as const
    assert.strictEqual(entry([{ ...asked, agent: "planner-2" }], as).principal_id, "ada")
  })

  it("lists every condition of the contract: parts, scope, version and further sources, too", () => {
    const checks = {
      source: "primary",
      expect: ["actual == observed"],
      parts: { seat: "actual.seat" },
      scope: { tenant: "actual.tenant", region: { shows: "actual.region", expects: "args.flight" } },
      version: { planned: "args.flight", actual: "actual.version" },
      sources: [{ source: "ledger", expect: ["actual.paid"] }]
    }
    const definition = pack.definition as { readonly tools: { readonly book: object } }
    const tools = { ...definition.tools, book: { ...definition.tools.book, readback: checks } }
    const strict = Result.getOrThrow(TaskPack.make({ ...definition, tools } as never))
    const [done] = ActionLedgerEntry.all(trace(...booked("a1")), { ...context, termsAt: () => ({ pack: strict }) })
    assert.deepStrictEqual(done?.intended_outcome.expected_predicates, [
      "actual == observed",
      "parts.seat (actual.seat)",
      "scope.tenant (actual.tenant == tenant)",
      "scope.region (actual.region == args.flight)",
      "version (actual.version == args.flight)",
      "sources.ledger (actual.paid)"
    ])
  })

  it("calls an action that its stale target stopped not executed, and its entry complete", () => {
    const looked = step(
      "action.verified",
      "a1",
      { status: "mismatch", trust: 1 },
      { before: { found: true, met: false } }
    )
    const stale = { decision: "refresh_and_replan", discrepancy: "stale_state", policyVersion: "recovery@1+abc" }
    const failed = step("action.reconciled", "a1", { status: "error", basis: "readback", trust: 1 })
    const stopped = entry(...begun, looked, step("recovery.decided", "a1", undefined, stale), failed)
    assert.deepStrictEqual(stopped.execution, {
      status: "NOT_EXECUTED",
      observation_pointer: null,
      attempt_count: 0
    })
    assert.strictEqual(stopped.verification.status, "NOT_REQUIRED")
    assert.deepStrictEqual(stopped.reconciliation, {
      status: "RECONCILED_FAILURE",
      discrepancy_class: "stale_state",
      recovery_decision: "refresh_and_replan"
    })
    assert.deepStrictEqual([stopped.timestamps.executed_at, ActionLedgerEntry.missing(stopped)], [null, []])
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
