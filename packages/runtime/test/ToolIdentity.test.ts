import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolIdentity from "../src/sealing/ToolIdentity.ts"

const { tenant } = Run.make("main", "acme")

const packOf = (id: string, identity: ReadonlyArray<string>) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: id,
      version: identity.length,
      tools: {
        find: { class: "read_only", input: { order: "string" } },
        charge: {
          class: "medium_risk_write",
          input: { order: "string", amount: "int" },
          identity: { scope: "goal", fields: identity },
          target: "none",
          undo: "X"
        }
      }
    })
  )

const [whole, narrow] = [packOf("acme.shop", ["order", "amount"]), packOf("acme.shop", ["order"])]

const stored = History.layer(Kernel.standard).pipe(
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

const taken = (called: Omit<ToolIdentity.Called, "tenant">) =>
  ToolIdentity.take({ tenant, ...called }).pipe(
    Effect.as("taken"),
    Effect.catchTag("IdentityDiffers", ({ before, given }) => Effect.succeed(`${before} → ${given}`))
  )

describe("ToolIdentity", () => {
  it.effect("takes the first identity of a tool, and another one only for the one that is given up (L6)", () =>
    Effect.gen(function* () {
      const tool = "charge"
      assert.strictEqual(yield* taken({ pack: whole, tool, before: "goal: order" }), "taken")
      assert.strictEqual(yield* taken({ pack: narrow, tool }), "goal: amount, order → goal: order")
      assert.strictEqual(yield* taken({ pack: whole, tool }), "taken")
      assert.strictEqual(yield* taken({ pack: narrow, tool, before: "goal: amount, order" }), "taken")
      assert.strictEqual(yield* taken({ pack: whole, tool }), "2 goal: order → goal: amount, order")
      assert.strictEqual(yield* taken({ pack: narrow, tool, before: "goal: amount, order" }), "taken")
    }).pipe(Effect.provide(stored))
  )

  it.effect("gives an identity up once, also to programs that give up each other's", () =>
    Effect.gen(function* () {
      const tool = "charge"
      const [before, back] = ["goal: amount, order", "goal: order"]
      assert.strictEqual(yield* taken({ pack: whole, tool }), "taken")
      assert.strictEqual(yield* taken({ pack: narrow, tool, before }), "taken")
      assert.strictEqual(yield* taken({ pack: whole, tool, before: back }), `2 ${back} → ${before}`)
      assert.strictEqual(yield* taken({ pack: narrow, tool, before }), "taken")
      assert.strictEqual(yield* taken({ pack: whole, tool, before: `2 ${back}` }), "taken")
      assert.strictEqual(yield* taken({ pack: narrow, tool, before }), `3 ${before} → ${back}`)
      assert.strictEqual(yield* taken({ pack: whole, tool, before: `2 ${back}` }), "taken")
    }).pipe(Effect.provide(stored))
  )

  it.effect("knows a tool by its pack and its name, and asks nothing of a read or of a tool without a contract", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* taken({ pack: whole, tool: "charge" }), "taken")
      assert.strictEqual(yield* taken({ pack: packOf("acme.other", ["order"]), tool: "charge" }), "taken")
      for (const tool of ["find", "toString", "unheard_of"]) {
        assert.strictEqual(yield* taken({ pack: whole, tool }), "taken")
        const { identity } = yield* TraceStore.TraceStore
        assert.isUndefined(yield* identity(tenant, `acme.shop/${tool}`))
      }
    }).pipe(Effect.provide(stored))
  )
})
