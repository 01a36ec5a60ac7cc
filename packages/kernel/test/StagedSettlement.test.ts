import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as StagedSettlement from "../src/settlement/StagedSettlement.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, wish } from "./lab.ts"

const { tools } = definition
const account = { amount: 1 }
const { status: _, ...unasked } = tools.book
const { settleAfter: __, ...untimed } = tools.book.times

describe("StagedSettlement", () => {
  it("is decided by the contract alone: a read, or a key, a question about it, and all three times (L14)", () => {
    const contracts = {
      book: tools.book,
      refund: tools.refund,
      tell: tools.tell,
      fax: tools.fax,
      look: tools.look,
      paid: { ...tools.look, cost: { amount: "1", currency: "USD" } },
      unasked
    } as const
    const { pack } = new Bench({
      changes: { tools: { ...tools, ...contracts }, budgets: { money: { currency: "USD", decimal: 2, max: 10 } } }
    })
    const staged = Object.keys(contracts).filter((name) =>
      StagedSettlement.canBeToldAgain({ contract: TaskPack.tool(pack, name), open: { key: "k" } as never })
    )
    assert.deepStrictEqual(staged, ["book", "refund", "look"])
    const keyless = { contract: TaskPack.tool(pack, "book"), open: {} as never }
    assert.isFalse(StagedSettlement.canBeToldAgain(keyless))
    const late = new Bench({ changes: { tools: { ...tools, book: { ...tools.book, times: untimed } } } })
    const contract = TaskPack.tool(late.pack, "book")
    assert.isFalse(StagedSettlement.canBeToldAgain({ contract, open: { key: "k" } as never }))
  })

  it("stages a success that the record confirms, and one that the record of the key confirms", () => {
    const bench = new Bench()
    const booked = call(bench.proposes(bookOf("LX1")))
    bench.answers(booked.action, ok({ id: "B1" }))
    const read = bench.readsBack(booked.action, ok({ id: "B1", price: 80 }))
    assert.deepStrictEqual([ends(read, "Done").basis, read.flush], ["readback", "soon"])
    const refunded = call(bench.proposes({ tool: "refund", params: account }))
    const { action } = asks(bench.answers(refunded.action, ok(account)), "Ask")
    const asked = bench.answers(action, ok(account), "status")
    assert.deepStrictEqual([ends(asked, "Done").basis, asked.flush], ["status", "soon"])
  })

  it("stages the answer of a read, and no refusal or silence of one", () => {
    const flushOf = (evidence: Evidence) => {
      const bench = new Bench()
      return bench.answers(call(bench.proposes({ tool: "look", params: { q: "flights" } })).action, evidence).flush
    }
    assert.strictEqual(flushOf(ok({ free: 2 })), "soon")
    assert.strictEqual(flushOf({ _tag: "Error", error: "closed" }), "now")
  })

  it("makes durable at once a settlement that cannot be asked about again", () => {
    const bench = new Bench()
    for (const proposal of [
      { tool: "tell", params: { to: "a@b.ch" } },
      { tool: "fax", params: { to: "1" } }
    ]) {
      const decision = bench.answers(call(bench.proposes(proposal)).action, ok({ id: "M1" }))
      assert.deepStrictEqual([ends(decision, "Done").basis, decision.flush], ["attested", "now"])
    }
  })

  it("makes a refusal durable at once: no record tells it, and it would be sent again under its key", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const decision = bench.answers(action, { _tag: "Error", error: "full" })
    assert.strictEqual(ends(decision, "Failed").error, "full")
    assert.strictEqual(decision.flush, "now")
  })

  it("makes durable at once a hold, and a question to a person", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "B1" }))
    bench.now += 10_000
    const held = bench.readsBack(action, ok({ id: "B1", price: 99 }))
    ends(held, "Held")
    assert.strictEqual(held.flush, "now")
  })

  it("makes durable at once a success by which a budget is used up", () => {
    const cost = { amount: "1", actual: "observed.amount", currency: "USD" } as const
    const refund = { ...tools.refund, class: "medium_risk_write", cost } as const
    const budgets = { money: { currency: "USD", decimal: 2, max: 10 } }
    const bench = new Bench({ changes: { tools: { ...tools, refund }, budgets } })
    const { action } = call(bench.proposes({ tool: "refund", params: account }))
    const decision = bench.answers(action, ok({ amount: 20 }))
    ends(decision, "Done")
    assert.include(bench.types(), "budget.exhausted")
    assert.strictEqual(decision.flush, "now")
  })

  it("makes the proof of a reversal durable at once, before the next step of its plan", () => {
    const book = { ...tools.book, undo: { ...tools.book.undo, class: "R" } } as const
    const unbook = { ...tools.unbook, readback: { source: "airline", expect: ["actual.gone"], within: "2s" } } as const
    const bench = new Bench({ changes: { tools: { ...tools, book, unbook } } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "B1" }))
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("changed"), cause: "revision" } })
    const { action: reversal } = asks(bench.compensates(), "ReadBefore")
    call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: { _tag: "NotFound" } }))
    bench.answers(reversal, ok({ id: "B1" }))
    const decision = bench.readsBack(reversal, ok({ gone: true }))
    assert.strictEqual(decision.next._tag, "Compensate")
    assert.strictEqual(decision.flush, "now")
  })
})
