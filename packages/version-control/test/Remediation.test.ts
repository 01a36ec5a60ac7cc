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

  it("collects the evidence against the goal: the predicate held from the first step on", () => {
    const begun = at(1, { author: "kernel", type: "run.started" })
    assert.deepInclude(Remediation.evidence([begun])[0], {
      for: "foundational",
      why: { args: {}, code: "symptom.first" }
    })
    const settled = at(9, { author: "kernel", type: "action.reconciled" })
    assert.include(spoken([settled], { begun: 1 }), "foundational")
    const codes = (...args: Parameters<typeof Remediation.evidence>) =>
      Remediation.evidence(...args).map(({ why }) => why.code)
    assert.deepStrictEqual(codes([at(2, { type: "plan.update" })]), ["symptom.first_plan"])
    assert.include(codes([at(2, {})]), "symptom.first_step")
    assert.include(codes([at(2, { type: "action.request" }), settled], { begun: 2 }), "symptom.first_step")
    // A fork from the beginning has a step of its own before its first.
    assert.include(codes([at(3, {})], { opening: 2 }), "symptom.first_step")
    assert.notInclude(spoken([at(3, {})]), "foundational")
    // The first step may have written what the onset depends on, and is not the onset.
    assert.notInclude(spoken([at(2, {}), at(9, {})]), "foundational")
  })

  it("suggests a fork from the tick before the onset", () => {
    const onset = at(9, { action: { id: "a5" }, author: "kernel", type: "action.reconciled" })
    const args = { change: "rules_or_tools", from: 8, type: "action.reconciled" } as const
    assert.deepStrictEqual(Remediation.suggest(onset), { args, code: "remedy.fork" })
  })

  it("suggests a fork from before the request whose outcome is the onset", () => {
    const onset = at(9, { action: { id: "a5" }, author: "kernel", type: "action.reconciled" })
    const suggested = Remediation.suggest(onset, { begun: 5 })
    assert.deepInclude(suggested.args, { begun: 5, from: 4 })
    const undone = [{ action: "a3", tick: 3, tool: "pay" }]
    const earlier = Remediation.suggest(onset, { begun: 5, undone })
    assert.deepInclude(earlier.args, { from: 2, undone: { action: "a3", tool: "pay" } })
  })

  it("suggests a guard for a step that is no call, since the policy of a fork judges calls alone", () => {
    for (const diagnosis of [undefined, "policy", "state"] as const) {
      const suggested = Remediation.suggest(at(9, {}), { diagnosis })
      assert.deepInclude(suggested.args, { change: "guard", from: 8 })
    }
    const call = at(9, { action: { id: "a9", tool: "pay" }, type: "action.request" })
    assert.deepInclude(Remediation.suggest(call).args, { change: "rules_or_tools" })
  })

  it("names the fields that a fork from there would inherit", () => {
    const inherited = [{ field: "working.risk", tick: 4 }, { field: "working.rate", tick: 7 }, { field: "working.old" }]
    const suggested = Remediation.suggest(at(9, {}), { begun: 6, inherited })
    assert.deepInclude(suggested.args, { inherits: [{ field: "working.risk", tick: 4 }, { field: "working.old" }] })
  })

  it("suggests no fork where nothing but the beginning of the run precedes the onset", () => {
    const anew = { args: {}, code: "remedy.anew" } as const
    const plan = at(2, { type: "plan.update" })
    assert.deepStrictEqual(Remediation.suggest(at(1, { author: "kernel", type: "run.started" })), anew)
    assert.deepStrictEqual(Remediation.suggest(plan), anew)
    assert.deepStrictEqual(Remediation.suggest(at(9, {}), { begun: 2 }), anew)
    assert.deepStrictEqual(Remediation.suggest(at(3, {}), { opening: 2 }), anew)
    assert.strictEqual(Remediation.suggest(at(3, {})).code, "remedy.fork")
    // A person who finds the state or the policy at fault may fork from the beginning, under another pack.
    assert.deepInclude(Remediation.suggest(plan, { diagnosis: "policy" }).args, { from: 1 })
    assert.deepStrictEqual(Remediation.suggest(at(1, {}), { diagnosis: "policy" }), anew)
  })

  it("counts the beginning of a run: its first transition, and forks from there", () => {
    const started = at(1, { author: "kernel", type: "run.started" })
    const fork = at(2, { author: "kernel", type: "run.fork" })
    assert.strictEqual(Remediation.opening([started, at(2, {}), at(3, { type: "run.fork" })]), 1)
    assert.strictEqual(Remediation.opening([started, fork, at(3, {})]), 2)
    assert.strictEqual(Remediation.opening([started]), 1)
    assert.strictEqual(Remediation.opening([]), 0)
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
    const onset = at(12, { action: { id: "a12" }, type: "action.request" })
    const follows = (diagnosis: Remediation.OnsetDiagnosis) => Remediation.suggest(onset, { diagnosis })
    assert.deepStrictEqual(follows("foundational"), { args: { judged: true }, code: "remedy.anew" })
    assert.deepInclude(follows("policy").args, { change: "rules", from: 11 })
    assert.deepInclude(follows("state").args, { change: "tools", from: 11 })
  })
})
