import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as PackTest from "../src/PackTest.ts"

const propose = { order: { item: "milk", price: 60 } }

const packOf = (tests: ReadonlyArray<Json>) =>
  Result.getOrThrow(
    TaskPack.fromJson({
      pack: "acme.shop",
      version: "1.0.0",
      state: {
        world: { orders: { table: { key: "id", row: { price: "int" } } }, spent: "int" },
        working: { notes: { list: "string" }, mood: "int" }
      },
      specification: {
        max: { holds: "world.spent <= clause.max", value: "int", default: 100 },
        calm: "working.mood < 5"
      },
      tools: {
        order: {
          class: "high_risk_external",
          idempotency: "idempotent_write",
          input: { item: "string", price: "int" },
          target: "'shelf/' + args.item",
          identity: { scope: "run", fields: [{ item: "code" }] },
          times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
          status: "by_key",
          readback: { source: "primary", expect: ["actual.price == args.price"] },
          undo: "X"
        }
      },
      guards: [
        { id: "affordable", on: "order", refuse_if: "world.spent + args.price > clause.max" },
        { id: "once", on: "order", refuse_if: "world.orders.exists(id, world.orders[id].price == args.price)" }
      ],
      violations: [
        { id: "cross", when: "working.mood > 8" },
        // biome-ignore lint/suspicious/noThenProperty: a word of the contract
        { id: "broke", when: "world.spent > 500", then: "halt_mutations" }
      ],
      approvals: { order: { when: "args.price == 70", by: ["manager"] } },
      reducers: { on: { "observation.add": [{ set: { field: "working.mood", value: "args.mood" } }] } },
      tests
    })
  )

const tested = (test: Json) => {
  const [found] = PackTest.all(packOf([test]))
  assert.isDefined(found)
  return found
}

describe("PackTest", () => {
  it("passes if the contract decides as the test says: allowed, refused by a guard or a step, approval", () => {
    const tests = [
      { propose, expect: { allowed: true } },
      { given: { "world.spent": 50 }, propose, expect: { refused: "affordable", allowed: false } },
      { given: { "world.spent": 50 }, clauses: { max: 200 }, propose, expect: { allowed: true, approval: false } },
      { propose: { order: { item: "milk", price: 70 } }, expect: { approval: true, allowed: false } },
      { propose: { order: { item: 7, price: 1 } }, expect: { refused: "schema" } },
      { given: { "world.spent": 600 }, clauses: { max: 900 }, propose, expect: { refused: "halted" } },
      { given: { "world.orders": { a: { price: 60 } } }, propose, expect: { refused: "once" } }
    ]
    for (const each of PackTest.all(packOf(tests))) assert.isTrue(each.passed, JSON.stringify(each))
  })

  it("names violations in the order of their names, and in the state after one transition", () => {
    const mood = { "observation.add": { mood: 9 } }
    assert.isTrue(tested({ propose: mood, expect: { violated: "cross" } }).passed)
    const given = { "world.spent": 600, "working.mood": 9 }
    const [both] = PackTest.all(packOf([{ given, propose: mood, expect: { violated: ["broke", "cross"] } }]))
    assert.deepStrictEqual(both?.differs, [])
  })

  it("judges violations and clauses in the state after the decision", () => {
    const note = (mood: number) => ({ "observation.add": { mood } })
    assert.isTrue(tested({ propose: note(9), expect: { violated: "cross" } }).passed)
    assert.isTrue(tested({ propose: note(4), expect: { violated: [], holds: ["calm", "max"] } }).passed)
    assert.deepStrictEqual(tested({ propose: note(6), expect: { violated: "cross", holds: ["calm"] } }).differs, [
      { expected: "violated: cross", found: "violated: nothing" },
      { expected: "calm holds", found: "calm is false" }
    ])
  })

  it("names the expected and the actual outcome", () => {
    const refused = tested({ given: { "world.spent": 50 }, name: "enough", propose, expect: { allowed: true } })
    assert.deepStrictEqual(refused, {
      name: "enough",
      passed: false,
      answer: "refused: affordable",
      differs: [{ expected: "allowed", found: "refused: affordable" }]
    })
    assert.isFalse(tested({ propose, expect: { refused: "affordable" } }).passed)
    assert.isFalse(tested({ propose, expect: { allowed: false } }).passed)
    assert.isFalse(tested({ propose, expect: { approval: true } }).passed)
    assert.strictEqual(tested({ propose, expect: { approval: true } }).name, "test 1")
  })
})
