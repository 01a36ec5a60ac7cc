import * as Claims from "@backstitch/trace/Claims"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Claimed from "../src/Claimed.ts"
import { Bench, bookOf, ends, failing } from "./lab.ts"

const hash = "ab".repeat(32)

const decide = (namespace: Claims.Namespace, holder: Claimed.Holder | undefined) =>
  Claimed.decide(new Bench().terms, {
    proposal: { ...bookOf("LX1"), command: "c1" },
    requestHash: hash,
    refusal: Claims.refuse({ namespace, name: "n", owner: "a7", run: Run.make("other"), tick: 9 }),
    holder
  })

const settled = (status: string) => ({ action: "a7", requestHash: hash, settled: { tick: 12, status, output: "B1" } })

describe("Claimed", () => {
  it("adopts the same act that another run has done, and says whose it is", () => {
    const decision = decide("key", settled("ok"))
    const done = ends(decision, "Done")
    assert.deepStrictEqual(done.adopted, { action: "a7", run: "other", tick: 12 })
    assert.deepStrictEqual([done.output, done.basis], ["B1", "recorded"])
    assert.deepStrictEqual(
      decision.drafts.map(({ body }) => [body.type, body.intent?.command]),
      [["intent.refused", "c1"]]
    )
  })

  it("refuses the same key for another request (L6)", () => {
    const decision = decide("key", { ...settled("ok"), requestHash: "cd".repeat(32) })
    assert.deepStrictEqual(failing(decision), ["key n"])
    assert.include(ends(decision, "Refused").reason, "another request")
  })

  it("refuses an act that another run began, and names the run that has to settle it", () => {
    const [check] = ends(decide("key", { action: "a7", requestHash: hash, settled: undefined }), "Refused").checks
    assert.include(check?.found, "not settled it")
    assert.include(check?.remedy, "backstitch resume other")
  })

  it("refuses an act that failed for good in another run, and says how to ask for one more", () => {
    const [check] = ends(decide("key", settled("error")), "Refused").checks
    assert.include(check?.found, "failed")
    assert.include(check?.remedy, "occurrence")
  })

  it("refuses a target that is held elsewhere, and names the holder (L7)", () => {
    const [check] = ends(decide("target", undefined), "Refused").checks
    assert.strictEqual(check?.step, "target")
    assert.include(check?.found, "a7 of run other, tick 9")
  })
})
