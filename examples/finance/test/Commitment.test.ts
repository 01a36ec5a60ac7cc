import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Commitment from "../Commitment.ts"

const cases = 50

describe("Fifty imports", () => {
  it.effect("refuse every one that violates its context, with its reason, and change nothing", () =>
    Effect.gen(function* () {
      const run = yield* Commitment.run({ seed: 48, cases, contracts: true })
      assert.lengthOf(run, cases)
      const flawed = run.filter(({ flaw }) => flaw !== "none")
      assert.isAbove(flawed.length, 25)
      assert.deepStrictEqual(new Set(run.map(({ flaw }) => flaw)), new Set(Commitment.flaws))
      for (const each of flawed) {
        const { changed, flaw, imported, reasons, sent } = each
        assert.deepStrictEqual([flaw, imported, sent, changed], [flaw, false, false, false])
        assert.deepStrictEqual([flaw, reasons], [flaw, [expected[flaw]]])
      }
      const clean = run.filter(({ flaw }) => flaw === "none")
      for (const { imported, reasons, sent } of clean)
        assert.deepStrictEqual([imported, sent, reasons], [true, true, []])
      // Other fields that the model read may differ: the difference is recorded, and blocks nothing.
      assert.isTrue(clean.some(({ warned }) => warned))
      assert.isTrue(clean.some(({ warned }) => !warned))
      assert.lengthOf(run.filter(Commitment.isSilent), 0)
    })
  )

  it.effect("would be silent disasters, every one of them, under a contract that says nothing of context", () =>
    Effect.gen(function* () {
      const run = yield* Commitment.run({ seed: 48, cases, contracts: false })
      const flawed = run.filter(({ flaw }) => flaw !== "none")
      assert.strictEqual(run.filter(Commitment.isSilent).length, flawed.length)
    })
  )

  it.effect("are none silent under other seeds either", () =>
    Effect.gen(function* () {
      for (const seed of [1, 2, 3]) {
        const run = yield* Commitment.run({ seed, cases: 20, contracts: true })
        assert.lengthOf(run.filter(Commitment.isSilent), 0)
      }
    })
  )
})

const expected = {
  none: "",
  "other profile": "context_violation working.risk_threshold",
  "profile missing": "context_violation working.risk_threshold",
  "limit missing": "context_violation working.risk_limit",
  "other version": "contract_mismatch",
  "contract grew": "hash_underspecified"
} as const satisfies Record<Commitment.Flaw, string>
