import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as UndoProof from "../src/undo/UndoProof.ts"
import * as lab from "./lab.ts"
import * as shop from "./shop.ts"

describe("UndoProof", () => {
  it("lists the undos that a contract declares, and no tool that nothing undoes", () => {
    assert.deepStrictEqual(UndoProof.declared(shop.pack), [{ tool: "charge", by: "refund" }])
    assert.deepStrictEqual(UndoProof.declared(lab.pack), [])
  })

  it("names drills of one undo in the order of their times", () => {
    const names = [9, 10, 100].map((seconds) => UndoProof.nameOf(shop.pack, "charge", seconds * 1000))
    assert.deepStrictEqual(names.toSorted(), names)
    assert.strictEqual(new Set(names).size, 3)
  })

  it.effect(
    "has never been exercised in a store without drills, and is demanded by no contract that asks for none",
    () =>
      lab.as(lab.process(TraceStore.layerMemory))(
        Effect.gen(function* () {
          const [proof] = yield* UndoProof.all(lab.trip.tenant, shop.pack, 0)
          assert.deepStrictEqual(proof, { tool: "charge", by: "refund", standing: "never" })
          yield* UndoProof.demand(lab.trip, shop.pack, 0)
          const { charge } = shop.pack.tools
          const tools = { ...shop.pack.tools, charge: { ...charge!, undo: { ...charge!.undo, proofMillis: 1 } } }
          const demanding: TaskPack.TaskPack = { ...shop.pack, tools }
          const error = yield* Effect.flip(UndoProof.demand(lab.trip, demanding, 0))
          assert.deepInclude(error, { _tag: "UndoUnproven", run: lab.trip.id })
        })
      )
  )
})
