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
  it("collects what speaks for the state: doubt, failed results, what nothing verified", () => {
    const found = Remediation.evidence([at(12, { confidence: 0.31, uncertainty: "one source alone" })])
    assert.deepStrictEqual(
      found.map((each) => each.for),
      ["state", "state", "state"]
    )
    assert.isTrue(found.some(({ text }) => text.includes("one source alone")))
  })

  it("collects what speaks for the policy: what it let pass, and what it denied", () => {
    const policy = { checks: [], decision: "allow", version: "1" } as const
    assert.include(spoken([at(5, { policy, type: "action.request" })]), "policy")
  })

  it("collects what speaks for the goal: it was so from the first transition on", () => {
    assert.include(spoken([at(1, { author: "kernel", type: "run.started" })]), "foundational")
    assert.include(spoken([at(9, { author: "kernel", type: "action.reconciled" })], 1), "foundational")
    assert.notInclude(spoken([at(9, {})]), "foundational")
  })

  it("calls nothing foundational because two runs began differently", () => {
    const [onset] = Lab.steps(Lab.fold(), [Lab.started])
    const answer = { evaluations: 1, onset: 1, failedAt: undefined }
    const about = { run: "a", length: 9, answer, onset }
    const apart = BisectResult.make({ ...about, question: { _tag: "Divergence", run: "b" } })
    assert.deepStrictEqual([apart.suggestion.kind, apart.evidence], ["none", []])
    assert.strictEqual(apart.suggestion.command, "backstitch diff a b --to 1")
    const anomaly = BisectResult.make({ ...about, question: { _tag: "Anomaly" } })
    assert.strictEqual(anomaly.suggestion.kind, "foundational")
  })

  it("follows the verdict of a person: no fork where it is foundational, rules where it is the policy", () => {
    const onset = at(12, {})
    assert.strictEqual(Remediation.suggest("r", onset, { diagnosis: "foundational" }).command, null)
    assert.include(Remediation.suggest("r", onset, { diagnosis: "foundational" }).text, "judged to be foundational")
    const policy = Remediation.suggest("r", onset, { diagnosis: "policy" })
    assert.match(policy.command!, /^backstitch fork r --from 11 /)
    assert.notInclude(policy.text, "--tool-policy")
    assert.notInclude(Remediation.suggest("r", onset, { diagnosis: "state" }).text, "--pack")
  })
})
