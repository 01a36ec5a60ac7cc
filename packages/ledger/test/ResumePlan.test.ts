import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ResumePlan from "../src/ResumePlan.ts"

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
  it("answers each property of a step as the table of the seed does, in flight", () => {
    const inFlight = (self: ToolContract.ToolContract) => ResumePlan.decide(self, "in_flight")
    assert.strictEqual(inFlight(contract({ class: "read_only" })), "resume")
    assert.strictEqual(inFlight(keyed), "resume_with_key")
    assert.strictEqual(inFlight(contract({ status: "by_key", times })), "ask_then_resume")
    assert.strictEqual(inFlight(compensable), "hold_then_compensate")
    assert.strictEqual(inFlight(contract({})), "hold")
  })

  it("starts over only while nothing was sent, and undoes only what is known to have happened (L14)", () => {
    assert.strictEqual(ResumePlan.decide(contract({}), "before_start"), "restart")
    assert.strictEqual(ResumePlan.decide(compensable, "before_start"), "restart")
    assert.strictEqual(ResumePlan.decide(compensable, "answered"), "compensate_then_restart")
    for (const { in_flight } of Object.values(ResumePlan.table)) {
      assert.notInclude(["restart", "compensate_then_restart"], in_flight)
    }
  })

  it("does not count a question whose not found proves nothing", () => {
    const untimed = contract({
      status: "by_key",
      identity,
      idempotency: "idempotent_write",
      times: { keyRetentionMillis: 1 }
    })
    assert.strictEqual(ResumePlan.propertyOf(untimed), "neither")
    assert.include(ResumePlan.audit(untimed).advice, "times.sendWithin, times.settleAfter")
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

  it("audits a pack, with what nobody can recover on top", () => {
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
})
