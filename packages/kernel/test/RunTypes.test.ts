import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as State from "@backstitch/reducer/State"
import * as Payload from "@backstitch/trace/Payload"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as RunTypes from "../src/intent/RunTypes.ts"
import { Bench, failing } from "./lab.ts"

const acme = Vocabulary.make("acme", {
  version: 2,
  types: {
    "acme.returned": { authors: ["user"], payload: Payload.closed({}), since: 2 },
    "acme.shipped": { authors: ["user"], payload: Payload.closed({ parcel: Schema.String }) }
  }
})

const pinning = (namespaces: { readonly [name: string]: number }): State.State => ({
  ...State.empty,
  kernel: { [PackInForce.part.name]: { ...PackInForce.part.init, namespaces } }
})

const codeOf = (type: string, namespaces: { readonly [name: string]: number }, ...known: ReadonlyArray<typeof acme>) =>
  RunTypes.unknown({ vocabularies: known }, pinning(namespaces), type)?.why?.code

describe("RunTypes", () => {
  it("lets a type in that the kernel has and the run pins", () => {
    assert.isUndefined(codeOf("acme.shipped", { acme: 1 }, acme))
    assert.isUndefined(codeOf("acme.returned", { acme: 2 }, acme))
    assert.isUndefined(codeOf("observation.add", {}))
  })

  it("lets no type in that a run began without, or before it was there", () => {
    assert.strictEqual(codeOf("acme.shipped", {}, acme), "type.unpinned")
    assert.strictEqual(codeOf("acme.shipped", { globex: 2 }, acme), "type.unpinned")
    assert.strictEqual(codeOf("acme.returned", { acme: 1 }, acme), "type.unpinned")
  })

  it("accepts no type that is not declared, whatever the run pins", () => {
    for (const type of ["acme.shipped", "acme.lost", "action.shipped", "constructor", "__proto__", "", "acme"]) {
      assert.strictEqual(codeOf(type, { acme: 9, action: 9 }), "type.unknown", type)
    }
    assert.strictEqual(codeOf("acme.lost", { acme: 2 }, acme), "type.unknown")
  })
})

describe("the payload of a proposal", () => {
  it("is held against its type before it is committed", () => {
    for (const [type, data] of [
      ["artifact.write", { subgoal: 5 }],
      ["observation.add", { cites: 7 }]
    ] as const) {
      const bench = new Bench()
      assert.include(failing(bench.proposes({ type, data })), `schema ${type}`)
      assert.deepStrictEqual(bench.types(1), ["intent.refused"])
    }
  })
})
