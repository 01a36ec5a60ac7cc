import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Readback, TaskPack, ToolContract, VerificationSource } from "../src/index.ts"

const packOf = (sideEffect: ToolContract.SideEffect, from: Readback.ReadOrigin, more: object = {}) =>
  TaskPack.make({
    pack: "acme.sources",
    version: "1.0.0",
    tools: {
      act: {
        class: sideEffect,
        input: { id: "string" },
        identity: { scope: "goal", fields: ["id"] },
        readback: { source: "there", from, expect: ["actual.id == args.id"], ...more }
      }
    }
  })

const warned = (...given: Parameters<typeof packOf>) =>
  Result.getOrThrow(packOf(...given)).warnings.filter(({ found }) => found.startsWith("a readback of a "))

describe("VerificationSource", () => {
  it("admits for each class some origins, and never one that lags", () => {
    for (const sideEffect of ToolContract.sideEffects) {
      const admitted = Readback.origins.filter((origin) => VerificationSource.admits(sideEffect, origin))
      assert.deepStrictEqual([...admitted].sort(), [...VerificationSource.ofClass[sideEffect]].sort())
      assert.isAbove(admitted.length, 0)
      assert.isFalse(admitted.some(Readback.isLagging))
      assert.isTrue(VerificationSource.admits(sideEffect, undefined))
    }
  })

  it("has the check of a pack warn of a source on which an action of its class is always held", () => {
    const [warning, ...others] = warned("critical_mutation", "service_api")
    assert.deepInclude(warning, {
      found: "a readback of a critical_mutation from a service_api",
      path: "tools.act.readback.from"
    })
    assert.lengthOf(others, 0)
    assert.lengthOf(warned("critical_mutation", "primary"), 0)
    assert.lengthOf(warned("medium_risk_write", "service_api"), 0)
  })

  it("warns of further sources, too", () => {
    const sources = [{ source: "books", from: "service_api" }]
    assert.deepStrictEqual(
      warned("critical_mutation", "primary", { sources }).map(({ path }) => path),
      ["tools.act.readback.sources[0].from"]
    )
  })
})
