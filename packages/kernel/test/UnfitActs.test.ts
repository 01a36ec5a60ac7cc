import { assert, describe, it } from "@effect/vitest"
import * as RunAbsorption from "../src/revision/RunAbsorption.ts"
import * as UnfitActs from "../src/revision/UnfitActs.ts"
import type { Bench } from "./lab.ts"
import { benchOf, books, changes, injects, judging } from "./revised.ts"

const to = (carrier: string) => ({ change: "set", clause: "carrier", value: carrier }) as const

const absorbs = (bench: Bench): void => {
  const own = judging(bench)
  bench.does(RunAbsorption.command(own, RunAbsorption.plan(own)!))
}

const told = (bench: Bench) =>
  UnfitActs.of(bench.pack, bench.state, bench.transitions).map(({ action, clauses }) => [action, clauses])

/** Bookings that nothing takes back. */
const final = { tools: { ...changes.tools, book: { ...changes.tools.book, undo: "X" } } } as const

describe("UnfitActs", () => {
  it("are none in a run that was never revised, or whose revision is not absorbed", () => {
    const bench = benchOf(final)
    books(bench, "LX1")
    assert.deepStrictEqual(told(bench), [])
    injects(bench, to("BA"))
    assert.deepStrictEqual(told(bench), [])
  })

  it("are told until their own condition holds again, whatever the condition of the clause says", () => {
    const bench = benchOf(final)
    const action = books(bench, "LX1")
    injects(bench, to("BA"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [[action, ["carrier"]]])
    injects(bench, to("SR"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [[action, ["carrier"]]])
    injects(bench, to("LX"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [])
  })

  it("are no acts that an open plan is to undo", () => {
    const bench = benchOf()
    books(bench, "LX1")
    injects(bench, to("BA"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [])
  })

  it("are acts with an exact inverse that a contract leaves where they are", () => {
    const book = { ...changes.tools.book, undo: { ...changes.tools.book.undo, class: "R" } } as const
    const bench = benchOf({ revisions: { reversible: "leave" }, tools: { ...changes.tools, book } })
    const action = books(bench, "LX1")
    injects(bench, to("BA"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [[action, ["carrier"]]])
  })

  it("are told for a clause that was withdrawn until it is in force again", () => {
    const book = { ...changes.tools.book, undo: "X", serves: ["news"] } as const
    const bench = benchOf({ tools: { ...changes.tools, book } })
    const action = books(bench, "LX1")
    injects(bench, { change: "withdraw", clause: "news" })
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [[action, ["news"]]])
    injects(bench, to("BA"))
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [[action, ["news", "carrier"]]])
    injects(bench, to("LX"), { change: "add", clause: "news", holds: "true" })
    absorbs(bench)
    assert.deepStrictEqual(told(bench), [])
  })
})
