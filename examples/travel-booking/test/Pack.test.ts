import { fileURLToPath } from "node:url"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as PackTest from "@backstitch/kernel/PackTest"
import * as PackFile from "@backstitch/runtime/PackFile"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const pack = await Effect.runPromise(PackFile.load(fileURLToPath(new URL("../pack.yaml", import.meta.url))))

describe("pack.yaml", () => {
  it("has nothing in it that deserves a warning", () => {
    assert.deepStrictEqual(pack.warnings, [])
  })

  it("declares for every mutation the facts that a resumption needs (L5, L7)", () => {
    const mutations = Object.values(pack.tools).filter(ToolContract.isMutating)
    assert.strictEqual(mutations.length, 7)
    for (const tool of mutations) {
      assert.isTrue(ToolContract.canBeAsked(tool), tool.name)
      assert.isTrue(ToolContract.isVerifiable(tool), tool.name)
      assert.isDefined(tool.target, tool.name)
      assert.isDefined(tool.readback, tool.name)
    }
  })

  it("names the undoing of every booking", () => {
    const undone = Object.fromEntries(Object.values(pack.tools).map(({ name, undo }) => [name, undo.by]))
    assert.deepInclude(undone, {
      book_flight: "cancel_flight",
      book_hotel: "cancel_hotel",
      charge_card: "refund_charge"
    })
  })

  for (const { differs, name } of PackTest.all(pack)) {
    it(`answers as it says: ${name}`, () => {
      assert.deepStrictEqual(differs, [])
    })
  }
})
