import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
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

  it.effect("are read page by page, without those of another form", () =>
    Effect.gen(function* () {
      const notes = yield* Notes.Notes
      const texts = ["1", "two", "3", "[4]", "5"]
      for (const [index, text] of texts.entries()) yield* notes.put({ ...given, name: `n${index}`, text })
      const found = yield* Stream.runCollect(Notes.stream({ kind: given.kind, limit: 2 }))
      assert.deepStrictEqual(
        found.map(({ text }) => text),
        texts
      )
      const read = Notes.reader(Schema.fromJsonString(Schema.Number))
      assert.deepStrictEqual(yield* Notes.readable(found, read), [1, 3, 5])
    }).pipe(Effect.provide(Notes.layerMemory))
  )
})
