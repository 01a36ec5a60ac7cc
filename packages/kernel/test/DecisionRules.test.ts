import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as DecisionRules from "../src/decision/DecisionRules.ts"
import * as Kernel from "../src/Kernel.ts"
import { Bench } from "./lab.ts"

const later = { version: 3, changes: [] }

describe("DecisionRules", () => {
  it("reads from a state by which rules its next decision is made, and takes silence for the first", () => {
    const { state } = new Bench()
    assert.strictEqual(DecisionRules.of(state), DecisionRules.standard.version)
    assert.strictEqual(DecisionRules.of({ world: {}, working: {}, kernel: {} }), 1)
    assert.deepStrictEqual(
      [1, 2, 3].map((since) => DecisionRules.binds(state, { since })),
      [true, true, false]
    )
  })

  it("is other than that of a run that began under another version, and not of one that has not begun", () => {
    const { state } = new Bench()
    assert.isFalse(DecisionRules.isOther(DecisionRules.standard, state))
    assert.isTrue(DecisionRules.isOther(later, state))
    assert.isFalse(DecisionRules.isOther(later, { world: {}, working: {}, kernel: {} }))
  })

  it("records once in the trace from which tick on a run is decided by other rules", () => {
    const bench = new Bench()
    const { head } = bench.at
    bench.does({ _tag: "Migrate", rules: 3 })
    assert.deepStrictEqual([DecisionRules.of(bench.state), bench.at.head.tick], [3, head.tick + 1])
    const again = Kernel.decide(bench.terms, bench.state, { _tag: "Migrate", rules: 3 })
    assert.deepStrictEqual(
      [again.drafts, again.next],
      [[], { _tag: "End", outcome: { _tag: "Done", tick: head.tick + 1, output: { rules: 3 }, basis: "committed" } }]
    )
  })

  it("names for an earlier decision the first change that accounts for it", () => {
    const bench = new Bench()
    const body: Body = { author: "kernel", data: { reason: "no", tool: "book" }, type: "intent.refused" }
    const command = { _tag: "Migrate", rules: 3 } as const
    const judged = { terms: bench.terms, state: bench.state, command, committed: body, decided: undefined }
    const change = (id: string, since: number, accounts: DecisionRules.RuleChange["accounts"]) => ({
      id,
      since,
      accounts
    })
    const among = (...changes: ReadonlyArray<DecisionRules.RuleChange>) =>
      DecisionRules.accountable({ version: 3, changes }, judged)?.id
    assert.isUndefined(among(change("old", 1, () => true)))
    assert.isUndefined(among(change("other", 3, () => false)))
    assert.strictEqual(
      among(
        change("other", 3, () => false),
        change("a", 3, () => true),
        change("b", 3, () => true)
      ),
      "a"
    )
  })
})
