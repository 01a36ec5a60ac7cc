import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import { BuiltIn, Scan, Variations } from "../src/index.ts"
import * as Lab from "./lab.ts"

const call = (id: string, type: Transition.Body["type"], author: "agent" | "kernel"): Transition.Body => ({
  action: { id },
  author,
  type
})

const transitions = Lab.seal([
  Lab.started,
  call("a2", "action.request", "agent"),
  Lab.note("x"),
  call("a2", "action.result", "kernel"),
  Lab.note("y"),
  Lab.note("z")
]).map(Transition.open)

const variations = [...Variations.of({ run: "r", transitions }, 40)]

describe("Variations", () => {
  it("keeps units whole and in their own order, and begins as the run began", () => {
    for (const { transitions: varied } of variations) {
      assert.deepStrictEqual(
        varied.map(({ tick }) => tick),
        varied.map((_, index) => index + 1)
      )
      assert.strictEqual(varied[0]!.body.type, "run.started")
      const types = varied.filter(({ body }) => body.action !== undefined).map(({ body }) => body.type)
      assert.isTrue(types.length === 0 || types.join() === "action.request,action.result")
    }
  })

  it("leaves units out, puts them in other orders, and is the same each time", () => {
    assert.deepStrictEqual(variations, [...Variations.of({ run: "r", transitions }, 40)])
    assert.isTrue(variations.some((variation) => variation.transitions.length < transitions.length))
    const whole = variations.filter((variation) => variation.transitions.length === transitions.length)
    assert.isAbove(new Set(whole.map(({ name }) => name)).size, 3)
  })
})

describe("BuiltIn", () => {
  it("finds the first transition that each is violated by, and nothing in a run that keeps to all", () => {
    const bad: Readonly<Record<string, Transition.Body>> = {
      "kernel.anomaly_free": { author: "kernel", data: { kind: "author" }, type: "kernel.anomaly" },
      "kernel.budget_kept": { author: "kernel", type: "budget.exhausted" },
      "kernel.contract_kept": { author: "kernel", type: "predicate.violation" },
      "kernel.effects_verified": { author: "kernel", result: { status: "mismatch" }, type: "action.reconciled" },
      "kernel.outcomes_known": { author: "kernel", result: { status: "unknown" }, type: "action.result" },
      "kernel.policy_compliant": {
        author: "kernel",
        policy: { checks: [], decision: "deny", version: "1" },
        type: "intent.refused"
      }
    }
    assert.sameMembers(
      BuiltIn.all.map(({ id }) => id),
      Object.keys(bad)
    )
    for (const { id } of BuiltIn.all) {
      const predicate = BuiltIn.find(id)!
      assert.strictEqual(
        Scan.run(predicate, Lab.steps(Lab.fold(), [Lab.started, Lab.note("x"), bad[id]!])).onset,
        3,
        id
      )
      assert.isUndefined(Scan.run(predicate, Lab.steps(Lab.fold(), [Lab.started, Lab.note("x")])).onset, id)
    }
    assert.isUndefined(BuiltIn.find("overspent"))
  })
})
