import { assert, describe, it } from "@effect/vitest"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const capped = () => new Bench({ changes: { topology: { kind: "react", steps: 3 } } })

describe("StepCap", () => {
  it("refuses the call beyond the cap, whichever tool it is, and reports the cap once", () => {
    const bench = capped()
    for (const q of ["a", "b"]) {
      bench.answers(call(bench.proposes({ tool: "look", params: { q } })).action, ok({ found: q }))
    }
    bench.books("LX1")
    const beyond = bench.proposes({ tool: "look", params: { q: "c" } })
    assert.deepStrictEqual(failing(beyond), ["budget topology.steps"])
    bench.proposes({ tool: "look", params: { q: "d" } })
    assert.strictEqual(bench.types().filter((type) => type === "budget.exhausted").length, 1)
  })

  it("counts neither plans nor refusals, and binds no pack without a cap", () => {
    const bench = capped()
    for (const plan of ["a", "b", "c", "d"]) ends(bench.proposes({ type: "plan.update", data: { plan } }), "Done")
    bench.proposes({ tool: "book", params: {} })
    bench.books("LX1")
    const free = new Bench()
    for (let index = 0; index < 6; index++) call(free.proposes({ tool: "look", params: { q: `${index}` } }))
  })

  it("answers a command that was carried out, although no step is left", () => {
    const bench = capped()
    const first = { ...bookOf("LX1"), command: "book" }
    bench.answers(call(bench.proposes(first)).action, ok({ id: "LX1" }))
    for (const q of ["a", "b"]) bench.proposes({ tool: "look", params: { q } })
    assert.deepStrictEqual(failing(bench.proposes({ tool: "look", params: { q: "c" } })), ["budget topology.steps"])
    assert.notInclude(JSON.stringify(bench.proposes(first).next), "topology.steps")
    assert.strictEqual(bench.types().filter((type) => type === "action.request").length, 3)
  })
})
