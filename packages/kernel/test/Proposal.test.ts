import { assert, describe, it } from "@effect/vitest"
import * as Check from "../src/Check.ts"
import type { Proposal } from "../src/Proposal.ts"
import * as ProposalForm from "../src/Proposal.ts"
import { Bench, bookOf, call, ends } from "./lab.ts"

/** Whatever a planner says: types do not bind it. */
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
    ["type", { type: null }],
    ["uncertainty", { uncertainty: 0.2 }]
  ])("with another %s than its type takes is refused by that name, and nothing of it is committed", (path, more) => {
    const bench = new Bench()
    const before = bench.transitions.length
    const { checks, tick } = ends(bench.proposes(said(more)), "Refused")
    assert.deepStrictEqual(Check.reason(checks)?.args, { path, type: "action.request" })
    assert.match(checks[0]?.detail ?? "", /expected|missing/i)
    assert.deepStrictEqual([tick, bench.transitions.length], [undefined, before])
  })

  it("is held against the form of its own type, and fields that no proposal has are read by nobody", () => {
    const note = { confidence: "high", type: "memory.write" } as unknown as Proposal
    assert.deepInclude(ProposalForm.misfit(note)?.why?.args, { path: "confidence", type: "memory.write" })
    call(new Bench().proposes(said({ agent: undefined, confidence: 0.5, thoughts: ["cheap"] })))
  })
})
