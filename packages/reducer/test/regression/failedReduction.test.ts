/**
 * A transition whose operations failed was hidden from the predicates of its scope, its failure was filed under the
 * type and not the tool, and a part of the state that could not be read passed for a failed operation.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Node from "@backstitch/trace/Node"
import { assert, describe, it } from "@effect/vitest"
import type * as Rules from "../../src/pack/Rules.ts"
import * as Latch from "../../src/parts/Latch.ts"
import * as Lab from "../lab.ts"

const failing = (error: Error, predicates: ReadonlyArray<Rules.Predicate> = []) =>
  Lab.foldOf({
    ...Lab.rules(predicates),
    apply: () => {
      throw error
    }
  })

describe("a transition whose operations fail", () => {
  it("is seen by the predicates of its scope (decision 0032)", () => {
    const loud = Lab.predicate({
      id: "loud",
      scope: new Set(["observation.add"]),
      holds: ({ transition }) => transition.body.data?.["loud"] === true
    })
    const fold = failing(new Error("no such field"), [loud])
    assert.deepStrictEqual(Latch.of(Lab.head(fold, [Lab.started, Lab.did({ loud: true })])), {
      "error:reduce.observation.add": 2,
      loud: 2
    })
  })

  it("names the tool that it is about", () => {
    const fold = failing(new Error("no such field"))
    const reconciled = Lab.at(2, { action: { id: "a1", tool: "pay" }, author: "kernel", type: "action.reconciled" })
    const state = fold.evolve(Lab.head(fold, [Lab.started]), reconciled)
    assert.deepStrictEqual(Latch.of(state), { "error:reduce.pay": 2 })
  })
})

describe("a part of the state that cannot be read", () => {
  const missing = new Node.NodeMissing({ digest: Digest.zero })
  const gone = () => {
    throw missing
  }

  it("stops the fold instead of becoming a failed operation (L2)", () => {
    assert.throws(() => Lab.head(failing(missing), [Lab.started, Lab.did({ append: 1 })]), /not in the store/)
  })

  it("stops the fold instead of becoming a failed predicate (L2)", () => {
    const fold = Lab.fold([Lab.predicate({ id: "any", holds: gone })])
    assert.throws(() => Lab.head(fold, [Lab.started, Lab.did({ append: 1 })]), /not in the store/)
  })
})
