import { assert, describe, it } from "@effect/vitest"
import * as Commands from "../src/Commands.ts"
import * as Repetition from "../src/Repetition.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const look = { tool: "look", params: { q: "x" }, command: "look" }

describe("Repetition", () => {
  it("adopts in a fork what the parent had settled, by command and by key", () => {
    const bench = new Bench()
    bench.books("LX1")
    ends(bench.proposes({ type: "observation.add", data: { text: "x" }, command: "note" }), "Done")
    const { tick } = bench.at.head
    forks(bench)
    assert.strictEqual(ends(bench.proposes(bookOf("LX1")), "Done").adopted?.action, "a2")
    assert.deepStrictEqual(
      ends(bench.proposes({ type: "observation.add", data: { text: "x" }, command: "note" }), "Done").adopted,
      { run: "trip", tick }
    )
    assert.deepStrictEqual(bench.types(tick), ["run.fork"])
  })

  it("claims in a fork the key of what the parent began, so that the index of names answers (decision 17)", () => {
    for (const command of [undefined, "book"]) {
      const bench = new Bench()
      const parents = call(bench.proposes({ ...bookOf("LX1"), command }))
      forks(bench)
      const again = call(bench.proposes({ ...bookOf("LX1"), command }))
      assert.notStrictEqual(again.action, parents.action)
      assert.strictEqual(again.key, parents.key)
    }
  })

  it("does a read again in a fork whose parent had not been answered", () => {
    const bench = new Bench()
    call(bench.proposes(look))
    assert.strictEqual(ends(bench.proposes(look), "Held").action, "a2")
    forks(bench)
    assert.isUndefined(Commands.find(bench.state, "look"))
    assert.strictEqual(call(bench.proposes(look)).action, "a4")
  })

  it("refuses a key for another request at whatever stage its action is (L6)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    const other = () => failing(bench.proposes(bookOf("lx 1", 81)))
    assert.deepStrictEqual(other(), ["key a2"])
    bench.answers(action, { _tag: "Unknown", reason: "cut" })
    assert.deepStrictEqual(other(), ["key a2"])
    bench.answers(action, ok({ id: "B1" }), "status")
    bench.readsBack(action, ok({ id: "B1", price: 80 }))
    assert.deepStrictEqual(other(), ["key a2"])
    forks(bench)
    assert.deepStrictEqual(other(), ["key a2"])
  })

  it("commits nothing for an adoption or a hold", () => {
    const bench = new Bench()
    call(bench.proposes({ ...bookOf("LX1"), command: "book" }))
    const known = Commands.find(bench.state, "book")
    assert.deepStrictEqual(Repetition.ofCommand(bench.terms, bench.state, known!).drafts, [])
    assert.deepStrictEqual(bench.decides({ _tag: "Propose", proposal: bookOf("LX1") }).drafts, [])
  })
})
