import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ActIdentity from "../src/keys/ActIdentity.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "test.air",
    version: "1.0.0",
    tools: {
      book: {
        class: "high_risk_external",
        input: { flight: "string", seats: "int", note: "string" },
        identity: { scope: "run", fields: [{ flight: "code" }, { seats: "integer" }] }
      }
    }
  })
)

const book = TaskPack.tool(pack, "book")

describe("ActIdentity", () => {
  it("reads each identity field by its normaliser, in the order of the contract, and no other argument", () => {
    assert.deepStrictEqual(ActIdentity.keys(book, { note: "x", seats: "2", flight: "lx 12-3" }), ["LX123", "2"])
    assert.notDeepEqual(
      ActIdentity.spellings(book, { flight: "12-3", seats: 1 }),
      ActIdentity.spellings(book, { flight: "1-23", seats: 1 })
    )
  })

  it("has no text for an absent field, and keeps a value that its rule cannot read", () => {
    assert.deepStrictEqual(ActIdentity.keys(book, { seats: "many" }), [null, '"many"'])
    assert.deepStrictEqual(ActIdentity.keys(book, "no object"), [null, null])
    assert.deepStrictEqual(ActIdentity.keys(TaskPack.tool(pack, "other"), { flight: "LX1" }), [])
  })

  it("tells calls of one run apart, by spellings for certain and by keys if they may be one act", () => {
    const [one, other] = [
      { flight: "12-3", seats: 1 },
      { flight: "1-23", seats: "1" }
    ]
    assert.isFalse(ActIdentity.isSame(book, one, other))
    assert.isTrue(ActIdentity.mayBeSame(book, one, other))
    assert.isTrue(ActIdentity.isSame(book, one, { ...one, note: "window" }))
    assert.isFalse(ActIdentity.mayBeSame(book, one, { seats: 1 }))
    assert.isTrue(ActIdentity.isSame(TaskPack.tool(pack, "other"), one, other))
  })

  it("knows a sealed value by its key, and without one by its commitment", () => {
    const [first, second] = [Digest.ofBytes("one"), Digest.ofBytes("two")]
    const sealed = { $sealed: first }
    assert.deepStrictEqual(ActIdentity.keys(book, { flight: sealed, seats: 1 }), [first, "1"])
    assert.isFalse(ActIdentity.mayBeSame(book, { flight: sealed }, { flight: { $sealed: second } }))
    const keyed = [first, second].map(($sealed) => ({ flight: { $sealed, identity: { key: second, request: first } } }))
    assert.isTrue(ActIdentity.isSame(book, keyed[0]!, keyed[1]!))
  })

  it("describes all that makes keys: scope, fields, normalisers, rounding and sealing, and nothing else", () => {
    const describe = (input: object, identity: unknown, more: object = {}): string => {
      const tools = { book: { class: "high_risk_external", input, output: "int", identity, ...more } }
      const made = TaskPack.make({ pack: "test.air", version: "1", tools } as Definition.Definition)
      return ActIdentity.describe(TaskPack.tool(Result.getOrThrow(made), "book"))
    }
    const input = { flight: "string", seats: "int", note: "string" }
    assert.strictEqual(ActIdentity.describe(book), "run: flight as code, seats as integer")
    const same = { scope: "run", fields: [{ seats: "integer" }, { flight: "code" }] }
    const [one, other] = [describe(input, same), describe({ ...input, note: "int" }, same, { description: "books" })]
    assert.deepStrictEqual([one, other], [ActIdentity.describe(book), ActIdentity.describe(book)])
    assert.strictEqual(describe(input, "none"), "none")
    const tenant = (fields: unknown) => ({ scope: "tenant", fields })
    const amount = { type: "decimal", precision: 2 }
    assert.strictEqual(describe({ amount }, tenant(["amount"])), "tenant: amount decimal(2)")
    const lines = { type: "list", item: { type: "object", fields: { amount, name: "string" } } }
    assert.strictEqual(describe({ lines }, tenant(["lines"])), "tenant: lines {* {amount decimal(2)}}")
    const name = { type: "string", sensitive: { subject: "args.id" } }
    assert.strictEqual(describe({ name, id: "string" }, tenant(["name"])), "tenant: name sealed(args.id)")
  })
})
