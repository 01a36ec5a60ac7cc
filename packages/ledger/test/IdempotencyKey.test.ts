import * as Crypto from "node:crypto"
import * as Canonical from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as IdempotencyKey from "../src/keys/IdempotencyKey.ts"

const Identity = Schema.Struct({
  tool: Schema.Literals(["book", "pay"]),
  scope: Schema.Literals(["run", "goal", "tenant"]),
  within: Schema.Literals(["a", "b"]),
  fields: Schema.Struct({ x: Schema.Literals(["1", "2"]), y: Schema.Literals(["1", "2"]) }),
  occurrence: Schema.Literals([1, 2]),
  generation: Schema.Literals([0, 1])
})

describe("IdempotencyKey", () => {
  it.prop("gives equal keys to equal identities, and to no others (L6)", [Identity, Identity], ([left, right]) => {
    const equal = JSON.stringify(left) === JSON.stringify(right)
    assert.strictEqual(IdempotencyKey.derive("s", left) === IdempotencyKey.derive("s", right), equal)
  })

  it.prop("does not depend on the order of fields (L6)", [Identity], ([identity]) => {
    const { x, y } = identity.fields
    const reversed = { ...identity, fields: { y, x } }
    assert.strictEqual(IdempotencyKey.derive("s", reversed), IdempotencyKey.derive("s", identity))
  })

  it("reveals nothing about its fields without the secret", () => {
    const identity = { tool: "t", scope: "run", within: "r", fields: {}, occurrence: 1, generation: 0 } as const
    assert.notStrictEqual(IdempotencyKey.derive("one", identity), IdempotencyKey.derive("two", identity))
  })

  it.prop("is an HMAC-SHA-256 under secrets of any length", [Identity, Schema.String], ([identity, word]) => {
    for (const secret of [word, word.repeat(20), "é".repeat(40)]) {
      if (!secret.isWellFormed()) continue
      const code = Crypto.createHmac("sha256", secret).update(Canonical.encode(identity)).digest("hex")
      assert.strictEqual(IdempotencyKey.derive(secret, identity), `bs_${code.slice(0, 40)}`)
    }
  })

  it("never changes: keys are stored for ever", () => {
    const identity = {
      tool: "book",
      scope: "goal",
      within: "trip",
      fields: { flight: "LX1" },
      occurrence: 1,
      generation: 0
    } as const
    assert.strictEqual(IdempotencyKey.derive("secret", identity), "bs_feab6475a982fb0ca183cd84ab1e371727dbb32a")
    assert.strictEqual(
      IdempotencyKey.requestHash("book", { price: 80, flight: "LX1" }),
      "618a919fb5edd81e0760b0dbde68e50ed75bd9af1ed15d5accdd62ff933d0f14"
    )
  })

  it("digests a request by its content, whatever the order of its fields", () => {
    assert.strictEqual(
      IdempotencyKey.requestHash("book", { a: 1, b: 2 }),
      IdempotencyKey.requestHash("book", { b: 2, a: 1 })
    )
    assert.notStrictEqual(IdempotencyKey.requestHash("book", { a: 1 }), IdempotencyKey.requestHash("book", { a: 2 }))
    assert.notStrictEqual(IdempotencyKey.requestHash("book", { a: 1 }), IdempotencyKey.requestHash("pay", { a: 1 }))
  })
})
