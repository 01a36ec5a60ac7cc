import * as TaskPack from "@backstitch/contracts/TaskPack"
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
})
