import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ResumePlan from "../src/plan/ResumePlan.ts"
import type * as OpenAction from "../src/state/OpenAction.ts"

const contract = (more: Partial<ToolContract.ToolContract>): ToolContract.ToolContract => ({
  ...ToolContract.unknown("tool"),
  known: true,
  class: "high_risk_external",
  ...more
})
const times = { sendWithinMillis: 1, settleAfterMillis: 1, keyRetentionMillis: 1 }
const identity = { scope: "goal", fields: [] } as const
const keyed = contract({ idempotency: "idempotent_write", identity, times })
const compensable = contract({ undo: { class: "K", by: "cancel", with: {} } })

describe("ResumePlan", () => {
  it("answers each property of a step as the table of Crash Recovery does, in flight", () => {
    const inFlight = (self: ToolContract.ToolContract) => ResumePlan.decide(self, "in_flight")
    assert.strictEqual(inFlight(contract({ class: "read_only" })), "resume")
    assert.strictEqual(inFlight(keyed), "resume_with_key")
    assert.strictEqual(inFlight(contract({ status: "by_key", times })), "ask_then_resume")
    const held = contract({ transaction: "local", times })
    assert.deepStrictEqual([inFlight(held), ResumePlan.propertyOf(held)], ["ask_then_resume", "transactional"])
    assert.strictEqual(inFlight(compensable), "hold_then_compensate")
    assert.strictEqual(inFlight(contract({})), "hold")
  })

  it("starts over only while nothing was sent, and never repeats an answered action (L14)", () => {
    assert.strictEqual(ResumePlan.decide(contract({}), "before_start"), "restart")
    assert.strictEqual(ResumePlan.decide(compensable, "before_start"), "restart")
    for (const { answered, in_flight } of Object.values(ResumePlan.table)) {
      assert.strictEqual(answered, "resume")
      assert.notStrictEqual(in_flight, "restart")
    }
  })

  it("plans each open action by its properties and its progress, in the order in which they began", () => {
    const open = (tool: string, tick: number, more: Partial<OpenAction.OpenAction> = {}): OpenAction.OpenAction => ({
      class: "high_risk_external",
      params: {},
      state: "executing",
      tick,
      tool,
      ...more
    })
    const steps = ResumePlan.plan(undefined, { a9: open("fax", 9), a4: open("mail", 4, { state: "validated" }) })
    assert.deepStrictEqual(
      steps.map(({ action, phase, recovery }) => [action, phase, recovery]),
      [
        ["a4", "before_start", "restart"],
        ["a9", "in_flight", "hold"]
      ]
    )
    assert.deepStrictEqual(
      steps.map(({ because }) => because),
      ["unstarted", "neither"]
    )
    const because = (more: Partial<OpenAction.OpenAction>) =>
      ResumePlan.plan(undefined, { a1: open("fax", 1, more) })[0]?.because
    assert.strictEqual(because({ heard: "record" }), "answered")
    assert.strictEqual(because({ heard: "answer" }), "neither")
    assert.strictEqual(because({ answer: { as: "done", at: 2, output: null }, heard: "answer" }), "answered")
  })

  it("does not count a question whose not found proves nothing", () => {
    const untimed = contract({
      status: "by_key",
      identity,
      idempotency: "idempotent_write",
      times: { keyRetentionMillis: 1 }
    })
    assert.strictEqual(ResumePlan.propertyOf(untimed), "neither")
    assert.deepStrictEqual(ResumePlan.audit(untimed).advice, { code: "times", lacks: ["sendWithin", "settleAfter"] })
  })

  const Drawn = Schema.Struct({
    class: Schema.Literals(ToolContract.sideEffects),
    idempotency: Schema.Literals(ToolContract.idempotencies),
    status: Schema.Literals(["by_key", "none"]),
    hasIdentity: Schema.Boolean,
    hasTimes: Schema.Boolean,
    undo: Schema.Literals(ToolContract.reversibilities)
  })

  it.prop(
    "never repeats a mutation in flight without a key that is honoured or a question that proves (L14)",
    [Drawn],
    ([{ hasIdentity, hasTimes, undo, ...rest }]) => {
      const self = contract({
        ...rest,
        ...(hasIdentity ? { identity } : {}),
        times: hasTimes ? times : {},
        undo: { class: undo, with: {}, ...(undo === "K" ? { by: "cancel" } : {}) }
      })
      const row = ResumePlan.audit(self)
      assert.strictEqual(row.advice === undefined, !row.recovery.startsWith("hold"))
      if (!ToolContract.isMutating(self)) return row.recovery === "resume"
      const safe = ToolContract.canBeAsked(self) || (hasIdentity && hasTimes && rest.idempotency === "idempotent_write")
      return safe || row.recovery.startsWith("hold")
    },
    { arbitrary: { runs: 400 } }
  )

  it("audits a pack, with the unrecoverable tools on top", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { world: {}, working: {} },
        tools: {
          look: { class: "read_only", idempotency: "read", input: {}, undo: { class: "I" } },
          mail: {
            class: "high_risk_external",
            idempotency: "effectful",
            identity: "none",
            input: {},
            undo: { class: "X" }
          }
        }
      })
    )
    const rows = ResumePlan.auditPack(pack)
    assert.deepStrictEqual(
      rows.map((row) => [row.tool, row.recovery, row.unrecoverable]),
      [
        ["mail", "hold", true],
        ["look", "resume", false]
      ]
    )
  })

  it("advises the first thing that a contract lacks", () => {
    const adviceOf = (more: Partial<ToolContract.ToolContract>) => ResumePlan.audit(contract(more)).advice?.code
    assert.strictEqual(adviceOf({}), "identity")
    assert.strictEqual(adviceOf({ identity, idempotency: "idempotent_write" }), "key_retention")
    assert.strictEqual(adviceOf({ identity, idempotency: "effectful" }), "status")
    assert.isUndefined(ResumePlan.audit(keyed).advice)
  })
})
