import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { HistoryWords } from "../src/said/HistoryWords.ts"

const { behind, context, imported, rebase }: HistoryWords = English.words.histories

describe("HistoryWords", () => {
  it("say which act a fork still believes, when it was undone, and which tick is before it", () => {
    const at = { run: "trip", tick: 9 }
    assert.strictEqual(
      behind({ act: "book (a4)", at, before: 3, isGone: true, undoneAt: 12 }),
      "book (a4) was undone at tick 12 of trip, and the state at tick 9 still believes it: tick 3 is the last one before it"
    )
    assert.strictEqual(
      behind({ act: "book (a4)", at, before: 0, isGone: false, undoneAt: undefined }),
      "book (a4) may not stand any more, and the state at tick 9 still believes it"
    )
  })

  it("say of a context whether it was hashed, and whether it covers the fields of the pack", () => {
    assert.include(context({ bound: false, covered: true, hash: undefined }), "binds no field")
    assert.include(context({ bound: true, covered: false, hash: undefined }), "was not hashed")
    assert.include(context({ bound: true, covered: true, hash: "0123456789abcdef" }), "01234567…cdef covers")
  })

  it("say where an intent was imported, and that nothing was committed if it was not", () => {
    assert.strictEqual(imported.held({ tick: 4, why: "it waits" }), "imported at tick 4, and it waits")
    assert.strictEqual(imported.failed({ tick: undefined, why: "no" }), "nothing was committed, and it came to no")
    assert.strictEqual(imported.known({ action: undefined, run: "b", tick: 2 }), "b@2 has it, and it counts once")
  })

  it("have a word of its own for each result of a rebase", () => {
    const words = Object.values(rebase.statuses)
    assert.strictEqual(new Set(words).size, words.length)
  })
})
