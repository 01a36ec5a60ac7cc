import { assert, describe, it } from "@effect/vitest"
import { BisectResult, CausalChain, OnsetQuestion, Scan } from "../src/index.ts"
import * as Lab from "./lab.ts"

const request = (id: string, tool: string) => ({
  action: { id, tool },
  author: "agent" as const,
  type: "action.request" as const
})
const answer = (id: string, status: "ok" | "error") => ({
  action: { id },
  author: "kernel" as const,
  result: { status },
  type: "action.result" as const
})

const links = (chain: CausalChain.CausalChain) => chain.links.map(({ relation, tick }) => `${tick} ${relation}`)

describe("CausalChain", () => {
  it("ties an onset that wrote nothing to the last step that wrote one of its inputs", () => {
    const denied = { ...request("a4", "pay"), policy: { checks: ["risk"], decision: "deny" as const, version: "1" } }
    const bodies = [Lab.started, Lab.set({ risk: 0.4 }), Lab.set({ risk: 0.9 }), Lab.set({ note: "hm" }), denied]
    const chain = CausalChain.make(Lab.steps(Lab.fold(), bodies), { onset: 5, reads: ["working.risk"] })
    assert.deepStrictEqual(links(chain), ["3 antecedent", "5 onset"])
    assert.deepStrictEqual(chain.links[0]!.why, { args: { fields: ["working.risk"] }, code: "link.wrote" })
  })

  it("leads back to the last writer of every field that the onset found as it was", () => {
    const bodies = [
      Lab.started,
      Lab.set({ limit: 100, risk: 0.83 }, { confidence: 0.31 }),
      Lab.set({ risk: 0.9 }),
      Lab.note("hm"),
      Lab.set({ spend: 140 })
    ]
    const reads = ["working.spend", "working.risk", "working.limit", "working.never"]
    const walked = Lab.steps(Lab.fold(), bodies)
    const chain = CausalChain.make(walked, { onset: 5, reads })
    assert.deepStrictEqual(links(chain), ["2 antecedent", "3 antecedent", "5 onset"])
    assert.deepStrictEqual(
      chain.links.slice(0, 2).map(({ why }) => why?.args),
      [{ fields: ["working.limit"] }, { fields: ["working.risk"] }]
    )
    // Of steps that were not looked at, the writers are not known, and the answer does not hide it.
    const late = CausalChain.make(walked.slice(2), { onset: 5, reads })
    assert.deepStrictEqual(
      late.inherited.map(({ field, step }) => [field, step?.transition.tick]),
      [
        ["working.risk", 3],
        ["working.limit", undefined]
      ]
    )
  })

  it("takes no field for one with a value that only its name shares with every object", () => {
    const walked = Lab.steps(Lab.fold(), [Lab.started, Lab.set({ "a.b": 1 }), Lab.note("hm"), Lab.set({ spend: 140 })])
    const reads = ["working.constructor", "world.toString", "working.a.b"]
    const chain = CausalChain.make(walked.slice(2), { onset: 4, reads })
    assert.deepStrictEqual(chain.inherited, [{ field: "working.a.b", step: undefined }])
  })

  it("takes the values with which a run begins for those of its pack, which no step wrote", () => {
    const bodies = [{ ...Lab.started, data: { set: { risk: 0.9 } } }, Lab.note("hm"), Lab.set({ spend: 140 })]
    const reads = ["working.spend", "working.risk"]
    const chain = CausalChain.make(Lab.steps(Lab.fold(), bodies), { onset: 3, reads })
    assert.deepStrictEqual([links(chain), chain.inherited], [["3 onset"], []])
  })

  it("leads back from an answer to the request that asked for it, in the order of the trace", () => {
    const bodies = [Lab.started, request("a2", "pay"), Lab.set({ risk: 0.9 }), Lab.note("hm"), answer("a2", "ok")]
    const chain = CausalChain.make(Lab.steps(Lab.fold(), bodies), { onset: 5, reads: ["working.risk"] })
    assert.deepStrictEqual(links(chain), ["2 antecedent", "3 antecedent", "5 onset"])
    assert.deepStrictEqual(chain.links[0]!.why, { args: { action: "a2" }, code: "link.asked" })
  })

  it("follows actions that a linked step opened, fields that it wrote, and trouble of any kind", () => {
    const bodies = [
      Lab.started,
      { ...request("a2", "pay"), data: { set: { total: 900 } } },
      Lab.note("unrelated"),
      answer("a2", "ok"),
      request("a5", "search"),
      answer("a5", "ok"),
      Lab.set({ total: 950 }),
      Lab.set({ other: 1 }),
      { author: "kernel" as const, type: "intent.refused" as const }
    ]
    const chain = CausalChain.make(Lab.steps(Lab.fold(), bodies), { onset: 2 })
    assert.deepStrictEqual(links(chain), ["2 onset", "4 consequence", "7 consequence", "9 consequence"])
    assert.deepStrictEqual(
      chain.links.slice(1).map(({ why }) => why),
      [
        { args: { action: "a2" }, code: "link.continues" },
        { args: { field: "working.total" }, code: "link.writes" },
        { args: {}, code: "link.trouble" }
      ]
    )
  })

  it("stays within its limit and says how many links it left out", () => {
    const bodies = [Lab.started, ...Array.from({ length: 30 }, (_, total) => Lab.set({ total }))]
    const chain = CausalChain.make(Lab.steps(Lab.fold(), bodies), { onset: 2, limit: 5 })
    assert.strictEqual(chain.links.length, 5)
    assert.strictEqual(chain.omitted, 25)
  })
})

describe("BisectResult", () => {
  it("says that a pass was linear, and what it could not see", () => {
    const steps = Lab.steps(Lab.fold(), [Lab.started, Lab.set({ total: 10 }), Lab.set({ total: 600 })])
    const scan = Scan.run(
      Lab.predicate({
        id: "working.total > 500",
        holds: ({ state }) => {
          if (state.working["total"] === undefined) throw new Error("no total")
          return Number(state.working["total"]) > 500
        }
      }),
      steps
    )
    const result = BisectResult.make({
      answer: scan,
      length: 3,
      onset: steps[2],
      question: OnsetQuestion.predicate("working.total > 500", new Set()),
      run: "r"
    })
    assert.deepStrictEqual([result.onset, result.evaluations], [3, 3])
    assert.deepStrictEqual(result.linear, { args: {}, code: "search.unregistered" })
    assert.deepStrictEqual(result.inconclusive, { args: { tick: 1 }, code: "search.unevaluated" })
    // What failed at the onset or after it hides nothing from before it.
    for (const [failedAt, hides] of [
      [2, true],
      [3, false],
      [4, false]
    ] as const) {
      const asked = { answer: scan, length: 3, question: result.question, run: "r" }
      assert.strictEqual("inconclusive" in BisectResult.make({ ...asked, failedAt }), hides, `${failedAt}`)
    }
    assert.deepStrictEqual(result.effects, [{ code: "changed", path: "working.total", before: 10, after: 600 }])
  })
})
