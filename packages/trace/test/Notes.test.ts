import { assert, describe, it } from "@effect/vitest"
import { suite } from "../../conformance/src/suites/NotesSuite.ts"
import * as Run from "../src/chain/Run.ts"
import * as Notes from "../src/port/Notes.ts"

suite("memory", Notes.layerMemory)

const given = { tenant: Run.make("any").tenant, kind: "a", name: "x", text: "text" }

describe("Notes", () => {
  it("count the changes of a note from 1", () => {
    const first = Notes.decide(undefined, given)
    assert.deepStrictEqual(first, { _tag: "Kept", note: { ...given, revision: 1 } })
    const standing = first._tag === "Kept" ? first.note : undefined
    assert.deepInclude(Notes.decide(standing, { ...given, expected: 1 }), { _tag: "Kept" })
    assert.deepStrictEqual(Notes.decide(standing, { ...given, expected: 0 }), { _tag: "Changed", standing })
  })
})
