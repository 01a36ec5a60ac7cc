import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Digest from "../src/bytes/Digest.ts"
import * as Payload from "../src/transition/Payload.ts"
import type * as Transition from "../src/transition/Transition.ts"
import * as TransitionCheck from "../src/transition/TransitionCheck.ts"
import * as Vocabulary from "../src/transition/Vocabulary.ts"

const sealed = (body: string, stamp = '{"asOf":5}'): Transition.Sealed => ({
  tick: 3,
  link: Digest.zero,
  story: Digest.zero,
  body,
  stamp,
  envelope: '{"ts":5}'
})

const acme = Vocabulary.make("acme", {
  version: 1,
  types: { "acme.shipped": { authors: ["user"], payload: Payload.closed({ parcel: Schema.String }) } }
})

/** The error for a transition that is refused. */
const refused = (self: Transition.Sealed, criteria?: TransitionCheck.Criteria): string => {
  try {
    TransitionCheck.openUntrusted(self, criteria)
    return ""
  } catch (cause) {
    assert.instanceOf(cause, TransitionCheck.TransitionInvalid)
    assert.strictEqual((cause as TransitionCheck.TransitionInvalid).tick, 3)
    return (cause as Error).message
  }
}

describe("TransitionCheck", () => {
  it("reads a transition that fits its schema", () => {
    const { body, tick } = TransitionCheck.openUntrusted(sealed('{"author":"agent","type":"observation.add"}'))
    assert.deepStrictEqual({ body, tick }, { body: { author: "agent", type: "observation.add" }, tick: 3 })
  })

  it.each<readonly [string, string, string]>([
    ["a part that is not canonical", '{"type":"observation.add","author":"agent"}', "its body cannot be read"],
    ["a type that the ontology lacks", '{"author":"agent","type":"observation.made"}', 'no type "observation.made"'],
    ["an author who may not write the type", '{"author":"agent","type":"run.started"}', "written by the kernel"],
    ["a field that the schema lacks", '{"author":"agent","more":1,"type":"observation.add"}', "more"]
  ])("refuses %s, and names the tick", (_, body, problem) => {
    assert.include(refused(sealed(body)), problem)
  })

  it("refuses a stamp that does not fit its schema", () => {
    assert.include(refused(sealed('{"author":"agent","type":"observation.add"}', '{"asOf":-1}')), "asOf")
  })

  it("holds a body against the check that it is given, and a type of an embedder against its declaration", () => {
    const malformed = ({ data }: Transition.Body) =>
      data === undefined ? { path: "data", problem: "Expected one" } : undefined
    assert.include(
      refused(sealed('{"author":"agent","type":"observation.add"}'), { malformed }),
      "data does not fit observation.add: expected one"
    )
    const body = '{"author":"user","data":{"parcel":7},"type":"acme.shipped"}'
    assert.include(refused(sealed(body), { vocabularies: [acme] }), "data.parcel does not fit acme.shipped")
    assert.strictEqual(refused(sealed(body)), "")
  })
})
