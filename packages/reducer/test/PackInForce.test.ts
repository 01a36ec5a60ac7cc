import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Expression from "@backstitch/expressions/Expression"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Fold, Latch, PackInForce, PackRules, type State } from "../src/index.ts"
import * as Lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.halves",
    version: "1.0.0",
    state: { working: { note: { type: "string", nullable: true } } },
    violations: [
      { id: "whole_quotient", when: "7 / 2 == 3" },
      { id: "exact_quotient", when: "7 / 2 == 3.5" }
    ]
  })
)

const fold = Fold.make({
  parts: Fold.base,
  sources: { rules: (_, __, engine) => PackRules.of(TaskPack.under(pack, engine)) }
})

const started = (more: object): Body => ({ ...Lab.started, data: { pack: pack.digest, ...more } })
const end = (...bodies: ReadonlyArray<Body>): State.State => Lab.head(fold, bodies)
const latched = (state: State.State): ReadonlyArray<string> => Object.keys(Latch.of(state)).sort()

describe("PackInForce", () => {
  it("keeps the engine that a run pins for as long as it goes on (L2)", () => {
    const { engine } = Expression
    const migrated: Body = { author: "kernel", data: { rules: 2, engine: "another" }, type: "run.migrated" }
    const state = end(started({ engine }), Lab.did({}), migrated)
    assert.strictEqual(PackInForce.engineOf(PackInForce.of(state)), engine)
    assert.deepStrictEqual(latched(state), ["exact_quotient"])
  })

  it("refuses to fold a run whose expressions have an unknown meaning here", () => {
    const engine = "cel-js@9.1.0/profile.99"
    assert.throws(() => end(started({ engine })), Fold.SourceMissing, `the engine "${engine}" says`)
  })

  it("names no part if a run pins one without a name", () => {
    for (const pins of ["", " ", "contract@1  anomalies@1"]) {
      assert.throws(() => end(started({ fold: pins })), Fold.SourceMissing, "pins a part without a name from tick 1 on")
    }
  })
})
