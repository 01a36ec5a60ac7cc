import { assert, describe, it } from "@effect/vitest"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import * as Deduplication from "../src/intent/Deduplication.ts"
import * as HandledCommands from "../src/state/HandledCommands.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const look = { tool: "look", params: { q: "x" }, command: "look" }
const note = { type: "observation.add", data: { text: "x" }, command: "note" }

describe("Deduplication", () => {
  it("adopts in a fork the acts that the parent had settled, by command and by key", () => {
    const bench = new Bench()
    bench.books("LX1")
    ends(bench.proposes(note), "Done")
    const { tick } = bench.at.head
    forks(bench)
    assert.strictEqual(ends(bench.proposes(bookOf("LX1")), "Done").adopted?.action, "a2")
    assert.deepStrictEqual(ends(bench.proposes(note), "Done").adopted, { run: "trip", tick })
    assert.deepStrictEqual(bench.types(tick), ["run.fork", "intent.adopted", "intent.adopted"])
  })

  it("claims in a fork the key of an act that the parent began, so that the index answers (decision 0039)", () => {
    for (const command of [undefined, "book"]) {
      const bench = new Bench()
      const parents = call(bench.proposes({ ...bookOf("LX1"), command }))
      forks(bench)
      const again = call(bench.proposes({ ...bookOf("LX1"), command }))
      assert.notStrictEqual(again.action, parents.action)
      assert.strictEqual(again.key, parents.key)
    }
  })

  it("repeats in a fork a read that the parent had no answer to", () => {
    const bench = new Bench()
    call(bench.proposes(look))
    assert.strictEqual(ends(bench.proposes(look), "Held").action, "a2")
    forks(bench)
    assert.isUndefined(HandledCommands.find(bench.state, "look"))
    assert.strictEqual(call(bench.proposes(look)).action, "a4")
  })

  it("refuses a key for another request in every state of its action (L6)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    const other = () => failing(bench.proposes(bookOf("lx 1", 81)))
    assert.deepStrictEqual(other(), ["key a2"])
    bench.answers(action, { _tag: "Unknown", reason: "cut" })
    assert.deepStrictEqual(other(), ["key a2"])
    bench.answers(action, ok({ id: "B1" }), "status")
    bench.readsBack(action, ok({ id: "B1", price: 80 }))
    assert.deepStrictEqual(other(), ["key a2"])
    forks(bench)
    assert.deepStrictEqual(other(), ["key a2"])
  })

  it("commits nothing for a hold: the action under way is settled first", () => {
    const bench = new Bench()
    const proposal = { ...bookOf("LX1"), command: "book" }
    call(bench.proposes(proposal))
    const handled = HandledCommands.find(bench.state, "book")!
    const held = Deduplication.ofCommand(bench.terms, bench.state, { handled, proposal })
    assert.deepStrictEqual([held.content, ends(held, "Held").action], [{}, "a2"])
    const again = bench.decides({ _tag: "Propose", proposal: bookOf("LX1") })
    assert.deepStrictEqual([again.drafts, ends(again, "Held").action], [[], "a2"])
  })

  it("draws on the budgets for each answer, by key and by command, until they are used up (L13)", () => {
    const bench = new Bench({ changes: { budgets: { steps: 5, tokens: 1000 } } })
    bench.books("LX1")
    ends(bench.proposes(note), "Done")
    const before = BudgetUse.of(bench.state)
    assert.deepStrictEqual([before.steps, before.spent], [2, {}])
    ends(bench.proposes({ ...bookOf("LX1"), tokens: 100 }), "Done")
    ends(bench.proposes({ ...note, tokens: 10 }), "Done")
    const after = BudgetUse.of(bench.state)
    assert.deepStrictEqual([after.steps, after.spent], [4, { tokens: 110 }])
    ends(bench.proposes(note), "Done")
    assert.deepStrictEqual(failing(bench.proposes(note)), ["budget steps"])
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["budget steps"])
    assert.strictEqual(bench.types().filter((type) => type === "budget.exhausted").length, 1)
  })

  it("answers a repetition by a person although the agent has used up its budget", () => {
    const bench = new Bench({ changes: { budgets: { steps: 1 } } })
    const told = { type: "message.received", author: "user", data: { content: "go" }, command: "told" } as const
    ends(bench.proposes(told), "Done")
    ends(bench.proposes({ type: "observation.add", data: { text: "x" } }), "Done")
    assert.strictEqual(ends(bench.proposes(told), "Done").basis, "recorded")
  })
})
