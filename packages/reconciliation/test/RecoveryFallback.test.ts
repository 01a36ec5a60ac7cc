import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as VerificationDepth from "../src/evidence/VerificationDepth.ts"
import * as RecoveryAction from "../src/recovery/RecoveryAction.ts"
import * as RecoveryFallback from "../src/recovery/RecoveryFallback.ts"
import * as RecoveryRow from "../src/recovery/RecoveryRow.ts"
import * as RecoveryTable from "../src/recovery/RecoveryTable.ts"

const names = Object.keys(RecoveryRow.calm) as ReadonlyArray<keyof RecoveryRow.Conditions>

/** Every case in which the time of verification is over: until then everything is read again. */
const cases = function* (): Generator<RecoveryRow.Conditions> {
  for (let bits = 0; bits < 2 ** names.length; bits++) {
    const conditions = Object.fromEntries(names.map((name, index) => [name, (bits & (1 << index)) !== 0])) as Record<
      keyof RecoveryRow.Conditions,
      boolean
    >
    if (!conditions.withinDelay && !conditions.maybeStale && conditions.executed) yield conditions
  }
}

/** Findings that do not confirm. Where a record contradicts, the recovery table goes further than the column. */
const silent = ["unknown_state", "verification_timeout", "unverifiable_result", "provider_outage"] as const

describe("RecoveryFallback", () => {
  it("has a reading of every recovery, and each fallback is one of the table", () => {
    const known = new Set(Object.values(VerificationDepth.table).flatMap(({ fallback }) => fallback))
    for (const [action, fallback] of Object.entries(RecoveryFallback.ofAction)) {
      assert.isTrue(RecoveryAction.isOne(action))
      assert.isTrue(fallback === null || known.has(fallback), action)
    }
  })

  it.each(ToolContract.sideEffects.filter((each) => each !== "read_only"))(
    "chooses for a %s what the column has, once what comes before is exhausted, or goes beyond the whole of it (L9)",
    (sideEffect) => {
      const column = VerificationDepth.of(sideEffect).fallback
      let chosen = 0
      for (const section of silent) {
        for (const conditions of cases()) {
          const { action } = RecoveryTable.decide(section, sideEffect, conditions)
          const found = RecoveryFallback.choose(sideEffect, action, conditions)
          if (found === undefined) continue
          chosen++
          const index = column.indexOf(found.fallback)
          const expected = index < 0 ? column : column.slice(0, index)
          assert.deepStrictEqual(
            found.exhausted.map(({ fallback }) => fallback),
            [...expected]
          )
          // A reversal is begun only when verification has nothing better to offer.
          if (RecoveryAction.definition(action).sends !== "reversal") continue
          for (const { because, fallback } of found.exhausted) {
            // A person who is asked looks at it beside whatever is done.
            if (fallback !== "escalate") assert.notInclude(because, "goes on", fallback)
          }
        }
      }
      assert.isAbove(chosen, 100)
    }
  )

  it("calls the inverse of a sandbox write its roll-back, and leaves a write without an inverse dirty", () => {
    const reversible = { ...RecoveryRow.calm, reversible: true }
    const undone = RecoveryTable.decide("value_mismatch", "ephemeral_write", reversible).action
    assert.strictEqual(RecoveryFallback.choose("ephemeral_write", undone, reversible)?.fallback, "roll_back")
    for (const section of ["value_mismatch", "partial_application", "no_op_failure"] as const) {
      const { action } = RecoveryTable.decide(section, "ephemeral_write", RecoveryRow.calm)
      const found = RecoveryFallback.choose("ephemeral_write", action, RecoveryRow.calm)
      assert.deepStrictEqual(found, {
        fallback: "mark_dirty",
        exhausted: [{ fallback: "roll_back", because: "no_transaction" }]
      })
    }
  })

  it("draws no conclusion from a decision that settles, plans anew or sends again", () => {
    for (const action of ["settle_as_is", "refresh_and_replan", "retry_same_key"] as const) {
      assert.isUndefined(RecoveryFallback.choose("medium_risk_write", action, RecoveryRow.calm))
    }
  })

  it("knows of each fallback when it is over", () => {
    const { calm } = RecoveryRow
    assert.isUndefined(RecoveryFallback.reason("retry_verification", { ...calm, withinDelay: true }))
    assert.isUndefined(RecoveryFallback.reason("keep_pending", { ...calm, providerUp: false }))
    assert.isUndefined(RecoveryFallback.reason("compensate", { ...calm, reversible: true }))
    assert.isUndefined(RecoveryFallback.reason("fail_closed", { ...calm, executed: false }))
    assert.match(RecoveryFallback.reason("compensate", { ...calm, reversible: true, pivotPassed: true }) ?? "", /pivot/)
  })
})
