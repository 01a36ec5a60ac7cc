import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as ProposalForm from "../src/decision/Proposal.ts"
import * as Check from "../src/payload/Check.ts"
import { Bench, bookOf, call, ends } from "./lab.ts"

const fields = [
  ...["agent", "author", "basis", "breakGlass", "command", "confidence", "data", "dependsOn", "description"],
  ...["occurrence", "occurrenceBy", "params", "spent", "tokens", "tool", "type", "uncertainty"]
]

/** A proposal as any planner may make it: types do not bind it. */
const said = (more: object): Proposal => ({ ...bookOf("LX1"), ...more })

describe("Proposal", () => {
  it.each<[string, object]>([
    ["agent", { agent: 7 }],
    ["author", { author: "robot" }],
    ["basis", { basis: -1 }],
    ["breakGlass.by", { breakGlass: { by: 7, reason: "the flight leaves" } }],
    ["breakGlass.reason", { breakGlass: { by: "ada" } }],
    ["command", { command: ["c1"] }],
    ["confidence", { confidence: "high" }],
    ["confidence", { confidence: Number.NaN }],
    ["data", { data: ["x"] }],
    ["dependsOn.0", { dependsOn: [7] }],
    ["description", { description: {} }],
    ["occurrence", { occurrence: "2" }],
    ["occurrence", { occurrence: 0 }],
    ["occurrenceBy", { occurrenceBy: "model" }],
    ["spent.tokens", { spent: { tokens: true } }],
    ["tokens", { tokens: 1.5 }],
    ["tool", { tool: 7 }],
    ["tool", { tool: "" }],
    ["tool", { tool: undefined }],
    ["tool", { tool: undefined, type: "action.request" }],
    ["type", { type: null }],
    ["uncertainty", { uncertainty: 0.2 }]
  ])("with another %s than its type takes is refused by that name, and nothing of it is committed", (path, more) => {
    const bench = new Bench()
    const before = bench.transitions.length
    const { checks, tick } = ends(bench.proposes(said(more)), "Refused")
    assert.deepStrictEqual(Check.reason(checks)?.args, { path, type: "action.request" })
    assert.match(checks[0]?.detail ?? "", /(expected|missing).*, found /i)
    assert.deepStrictEqual([tick, bench.transitions.length], [undefined, before])
  })

  it("names its findings, under a name with a dot, too", () => {
    const found = (more: object) => ProposalForm.misfit(said(more))?.detail
    assert.strictEqual(found({ tool: 5 }), "Expected the name of a tool, found number 5")
    assert.match(found({ spent: { "money.USD": true } }) ?? "", /, found boolean true$/)
    assert.match(found({ dependsOn: ["a", null] }) ?? "", /, found null$/)
  })

  it("of a command alone repeats that command, and is refused if the run has had none of that name", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ ...bookOf("LX1"), command: "c1" }))
    assert.strictEqual(ends(bench.proposes({ command: "c1" }), "Held").action, action)
    const before = bench.transitions.length
    const { checks, tick } = ends(bench.proposes({ command: "c2" }), "Refused")
    assert.deepStrictEqual(Check.reason(checks)?.args, { path: "tool", type: "action.request" })
    assert.deepStrictEqual([tick, bench.transitions.length], [undefined, before])
  })

  it.prop(
    "of any JSON is refused by the name of a field, or asks only for a tool that it names",
    [Schema.Record(Schema.Literals(fields), Schema.Json)],
    ([given]) => {
      const bench = new Bench()
      const decided = bench.proposes(given as Proposal)
      if (ProposalForm.misfit(given as Proposal) !== undefined) ends(decided, "Refused")
      for (const { body } of bench.transitions) {
        if (body.type !== "review.requested") continue
        assert.isString(given["tool"])
        assert.isNotEmpty(given["tool"])
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("is checked against the form of its own type, and fields that no proposal has are ignored", () => {
    const note = { confidence: "high", type: "memory.write" } as unknown as Proposal
    assert.deepInclude(ProposalForm.misfit(note)?.why?.args, { path: "confidence", type: "memory.write" })
    call(new Bench().proposes(said({ agent: undefined, confidence: 0.5, thoughts: ["cheap"] })))
  })
})
