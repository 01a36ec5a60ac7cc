/** Calls that a provider accepts and carries out later. */
import { assert, describe, expectTypeOf, it } from "vitest"
import { Accepted, guarded, type ToolContext } from "../src/Sdk.ts"

const contract = {
  tool: "order",
  input: { item: "string" },
  times: { sendWithin: "2s", settleAfter: "50ms", keyRetention: "24h" }
}

/** A shop that queues what it is sent, and has carried it out once it was asked so often. */
const shop = (asks: number) => {
  const own = { asked: 0, sent: 0, carriesOut: true }
  const order = async (_: { item: string }) => {
    own.sent++
    return new Accepted({ job: 7 })
  }
  const status = ({ item }: { item: string }, _: ToolContext) =>
    ++own.asked < asks ? "pending" : own.carriesOut ? { item } : null
  return Object.assign(own, { order, status })
}

describe("a call that is accepted", () => {
  it("is done once its status shows it, and is sent once", async () => {
    const own = shop(3)
    await using order = guarded(own.order, { contract, store: "memory:", status: own.status })
    expectTypeOf(order).returns.resolves.toEqualTypeOf<{ job: number } | { item: string }>()
    const outcome = await order.outcome({ item: "milk" })
    assert.deepInclude(outcome, { status: "done", basis: "status", output: { item: "milk" } })
    assert.deepInclude(await order.outcome({ item: "milk" }), { status: "done", before: true })
    assert.deepStrictEqual([own.sent, own.asked], [1, 3])
  })

  it("is held where nobody can be asked, or nothing is found", async () => {
    const own = shop(1)
    own.carriesOut = false
    for (const asked of [{}, { status: own.status }]) {
      own.sent = 0
      await using order = guarded(own.order, { contract, store: "memory:", ...asked })
      for (const _ of [1, 2]) assert.deepInclude(await order.outcome({ item: "milk" }), { status: "held" })
      assert.strictEqual(own.sent, 1)
    }
  })
})
