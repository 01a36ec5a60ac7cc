import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Condition, Issue, PackExtension, TaskPack, Yaml } from "../src/index.ts"
import { claims } from "./packs.ts"

const pack = Result.getOrThrow(Yaml.fromYaml(claims, { file: "claims.yaml" }))

const good: JsonObject = {
  target_contract: "pay_claim",
  adds_required: ["paid_total"],
  adds_hash_seeds: ["paid_total"],
  adds_violations: [{ id: "nothing_paid", when: "state.paid_total == 0.0", monotone: true, pure: true }],
  effective_from_tick: 48,
  approved_by: "supervisor-7"
}

const validate = (payload: JsonObject, currentTick = 40) => PackExtension.validate(pack, payload, { currentTick })

const refusal = (payload: JsonObject, currentTick?: number) => {
  const validated = validate(payload, currentTick)
  return Result.isFailure(validated)
    ? validated.failure.issues.map(Issue.format).join("\n")
    : assert.fail("the extension was accepted")
}

describe("PackExtension", () => {
  it("adds required fields, seeds and predicates, and takes nothing away", () => {
    const extended = Result.getOrThrow(PackExtension.extend(pack, Result.getOrThrow(validate(good))))
    const before = TaskPack.contractOf(pack, "pay_claim")
    const after = TaskPack.contractOf(extended, "pay_claim")
    assert.includeMembers([...after.hashSeeds], [...before.hashSeeds, "working.paid_total"])
    assert.includeMembers(Object.keys(after.required), Object.keys(before.required))
    assert.deepStrictEqual(
      extended.violations.map(({ id }) => id),
      ["over_limit", "no_proof", "nothing_paid"]
    )
    const added = extended.violations[2]
    assert.isDefined(added)
    if (added !== undefined) {
      assert.deepStrictEqual(Condition.holds(added.when, { working: { paid_total: 0 } }), Result.succeed(true))
    }
    assert.notStrictEqual(extended.digest, pack.digest)
    assert.strictEqual(pack.violations.length, 2)
  })

  it("is never retroactive", () => {
    assert.match(refusal({ ...good, effective_from_tick: 40 }), /tick 40, expected a tick after 40/)
    assert.match(refusal(good, 48), /never retroactive/)
    assert.isTrue(Result.isSuccess(validate(good, 47)))
  })

  it("has to be approved by somebody", () => {
    const { approved_by: _, ...unapproved } = good
    assert.match(refusal(unapproved), /who approved it/)
    assert.match(refusal({ ...good, approved_by: "" }), /text that is not empty/)
  })

  it("says of a field that has no name one thing, and that once", () => {
    const issues = refusal({ ...good, adds_required: [7] }).split("\n")
    assert.strictEqual(issues.length, 1, issues.join("\n"))
    assert.notInclude(issues[0], "undefined")
  })

  it("refuses everything that the pack does not declare, all at once", () => {
    const found = refusal({
      ...good,
      target_contract: "pay_clam",
      adds_required: ["kyc_status"],
      adds_violations: [{ id: "over_limit", when: "state.kyc_status != 'verified'" }],
      removes: ["proof"]
    })
    assert.match(found, /contract pay_clam.*Did you mean pay_claim/)
    assert.match(found, /the field kyc_status.*begin a new run with it, or fork this run under it/)
    assert.match(found, /found state\.kyc_status/)
    assert.match(found, /the key removes/)
  })

  it("refuses an id that is taken, and an extension that adds nothing", () => {
    assert.match(refusal({ ...good, adds_violations: [{ id: "over_limit", when: "true" }] }), /there already/)
    const built = { ...good, adds_violations: [{ id: "kernel.anomaly_free", when: "true" }] }
    assert.match(refusal(built), /kernel\. begins the names of built-in predicates/)
    assert.match(refusal({ target_contract: "pay_claim", effective_from_tick: 48, approved_by: "x" }), /adds nothing/)
    assert.match(refusal({ ...good, effective_from_tick: "soon" }), /the tick from which it holds/)
  })

  it("extends everything that the pack governs when it names the pack", () => {
    const whole = Result.getOrThrow(validate({ ...good, target_contract: "acme.claims.desk_v3" }))
    const extended = Result.getOrThrow(PackExtension.extend(pack, whole))
    for (const subject of ["pay_claim", "ask_more"]) {
      assert.include(TaskPack.contractOf(extended, subject).hashSeeds, "working.paid_total")
    }
  })

  it("gives the same pack however often it is applied to the same base, in order (L2)", () => {
    const second: JsonObject = { ...good, adds_violations: [{ id: "later", when: "true" }], effective_from_tick: 60 }
    const once = PackExtension.extendAll(pack, [good, second])
    assert.strictEqual(PackExtension.extendAll(pack, [good, second]).digest, once.digest)
    assert.strictEqual(PackExtension.extendAll(pack, []).digest, pack.digest)
    assert.notStrictEqual(PackExtension.extendAll(pack, [second, good]).digest, once.digest)
    assert.deepStrictEqual(
      once.violations.map(({ id }) => id),
      ["over_limit", "no_proof", "nothing_paid", "later"]
    )
  })
})
