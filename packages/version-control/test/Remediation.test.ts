import type * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import { BisectResult, Remediation } from "../src/index.ts"
import * as Lab from "./lab.ts"

const at = (tick: number, body: Partial<Transition.Body>): Transition.Transition => ({
  tick,
  body: { author: "agent", type: "observation.add", ...body },
  stamp: { asOf: 0 },
  envelope: { ts: 0 }
})

const spoken = (...args: Parameters<typeof Remediation.evidence>) =>
  Remediation.evidence(...args).map((each) => each.for)

describe("Remediation", () => {
  it("collects the evidence against the state: doubt, failed results, unverified actions", () => {
    const found = Remediation.evidence([at(12, { confidence: 0.31, uncertainty: "one source alone" })])
    assert.deepStrictEqual(
      found.map((each) => each.for),
      ["state", "state", "state"]
    )
    assert.deepInclude(found, {
      for: "state",
      tick: 12,
      why: { args: { uncertainty: "one source alone" }, code: "symptom.doubt" }
    })
  })

  it("collects the evidence against the policy: the acts that it permitted, and those that it denied", () => {
    const policy = { checks: [], decision: "allow", version: "1" } as const
    assert.include(spoken([at(5, { policy, type: "action.request" })]), "policy")
  })

  it("collects the evidence against the goal: the predicate held from the first transition on", () => {
    assert.include(spoken([at(1, { author: "kernel", type: "run.started" })]), "foundational")
    assert.include(spoken([at(9, { author: "kernel", type: "action.reconciled" })], 1), "foundational")
    assert.notInclude(spoken([at(9, {})]), "foundational")
  })

  it("calls nothing foundational because two runs began differently", () => {
    const [onset] = Lab.steps(Lab.fold(), [Lab.started])
    const answer = { evaluations: 1, onset: 1, failedAt: undefined }
    const about = { run: "a", length: 9, answer, onset }
    const apart = BisectResult.make({ ...about, question: { _tag: "Divergence", run: "b" } })
    assert.deepStrictEqual([apart.suggestion, apart.evidence], [{ args: { run: "b" }, code: "remedy.compare" }, []])
    const anomaly = BisectResult.make({ ...about, question: { _tag: "Anomaly" } })
    assert.strictEqual(anomaly.suggestion.code, "remedy.anew")
  })

  it("follows the verdict of a person: no fork if it is foundational, rules if it is the policy", () => {
    const onset = at(12, {})
    const follows = (diagnosis: Remediation.Diagnosis) => Remediation.suggest(onset, { diagnosis })
    assert.deepStrictEqual(follows("foundational"), { args: { judged: true }, code: "remedy.anew" })
    assert.deepInclude(follows("policy").args, { change: "rules", from: 11 })
    assert.deepInclude(follows("state").args, { change: "tools", from: 11 })
  })
})
