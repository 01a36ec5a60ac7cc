import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import { BackstitchError, guarded } from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

const [whole, narrow] = [["order", "amount"], ["order"]]

describe("a tool whose identity was changed", () => {
  it("is refused by an open tool as soon as another process has given its identity up", async () => {
    const settings = { store: Path.join(freshFolder(), "trace.db") }
    const sent: Array<string> = []
    const execute = async ({ order }: { order: string; amount: number }) => sent.push(order)
    const input = { order: "string", amount: "int" }
    const of = (identity: ReadonlyArray<string>, identityBefore?: string) =>
      guarded(execute, { ...settings, contract: { tool: "charge", input, identity }, identityBefore })
    await using old = of(whole)
    await using next = of(narrow, "tenant: amount, order")
    const codeOf = (does: Promise<unknown>) => does.then(String, (cause: unknown) => (cause as BackstitchError).code)
    await old({ order: "4711", amount: 1 })
    await next({ order: "4712", amount: 1 })
    assert.strictEqual(await codeOf(old({ order: "4713", amount: 1 })), "identity_differs")
    assert.strictEqual(await codeOf(next.outcome({ order: "4711", amount: 1 }).then(({ status }) => status)), "done")
    assert.deepStrictEqual(sent, ["4711", "4712", "4711"])
  })

  it("keeps its identity while an act of before is open in any run, and names that act", async () => {
    const settings = { store: Path.join(freshFolder(), "trace.db") }
    const charges = new Map<string, number>()
    let isLost = true
    const execute = async ({ amount }: { order: string; amount: number }, { key }: { key: string }) => {
      charges.set(key, amount)
      if (isLost) throw new Error("no answer")
      return amount
    }
    const of = (identity: ReadonlyArray<string>, identityBefore?: string) =>
      guarded(execute, {
        ...settings,
        contract: { tool: "charge", input: { order: "string", amount: "int" }, identity },
        identityBefore,
        run: ({ order }) => `of-${order}`,
        status: async (_, { key }) => {
          if (isLost) throw new Error("nobody answers")
          return charges.get(key)
        }
      })
    await using old = of(whole)
    await using next = of(narrow, "tenant: amount, order")
    assert.strictEqual((await old.outcome({ order: "4711", amount: 1 })).status, "held")
    const refused = await next({ order: "4712", amount: 1 }).catch((cause: unknown) => cause)
    assert.isTrue(refused instanceof BackstitchError)
    assert.deepInclude(refused, { code: "identity_differs", run: "of-4711" })
    assert.match(String(refused), /Action a\d+ of run of-4711 is open, .* Settle it first/)
    isLost = false
    assert.strictEqual((await old.outcome({ order: "4711", amount: 1 })).status, "done")
    assert.strictEqual((await next.outcome({ order: "4712", amount: 1 })).status, "done")
    assert.strictEqual(charges.size, 2)
  })

  it("does no act twice for two programs that give up each other's identity", async () => {
    const settings = { store: Path.join(freshFolder(), "trace.db") }
    const sent: Array<string> = []
    const execute = async ({ order }: { order: string; amount: number }) => sent.push(order)
    const of = (identity: ReadonlyArray<string>, identityBefore?: string) =>
      guarded(execute, {
        ...settings,
        contract: { tool: "charge", input: { order: "string", amount: "int" }, identity },
        identityBefore
      })
    await using first = of(whole)
    await first({ order: "4711", amount: 1 })
    await using one = of(narrow, "tenant: amount, order")
    await using other = of(whole, "tenant: order")
    for (const order of ["4712", "4713"]) {
      await one({ order, amount: 1 })
      const refused = await other({ order, amount: 1 }).catch((cause: unknown) => cause)
      assert.include(String(refused), 'identityBefore: "2 tenant: order"')
    }
    assert.deepStrictEqual(sent, ["4711", "4712", "4713"])
    await using back = of(whole, "2 tenant: order")
    await back({ order: "4714", amount: 1 })
    const late = await one({ order: "4714", amount: 1 }).catch((cause: unknown) => cause)
    assert.include(String(late), 'identityBefore: "3 tenant: amount, order"')
    assert.deepStrictEqual(sent, ["4711", "4712", "4713", "4714"])
  })

  it("may be read under another identity, and keeps its own beside tools of other names", async () => {
    const settings = { store: Path.join(freshFolder(), "trace.db") }
    const read = async (args: { order: string }) => args
    for (const [tool, more] of Object.entries({ look: { class: "read_only" as const }, charge: {}, refund: {} })) {
      for (const identity of tool === "look" ? [["order"], "none" as const] : [["order"]]) {
        const contract = { tool, input: { order: "string" }, identity, ...more }
        await using each = guarded(read, { ...settings, contract })
        assert.deepStrictEqual(await each({ order: "4711" }), { order: "4711" })
      }
    }
    await using unkeyed = guarded(read, {
      ...settings,
      contract: { tool: "refund", input: { order: "string" }, identity: "none" }
    })
    const cause = await unkeyed({ order: "4711" }).catch((cause: unknown) => cause)
    assert.isTrue(cause instanceof BackstitchError && cause.message.includes('by "none"'))
  })
})
