import { assert, describe, it } from "@effect/vitest"
import * as Checklist from "../src/intent/Checklist.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const checked = (more: object = {}) =>
  new Bench({
    changes: { transitions: {}, topology: { kind: "react", steps: 20, checklist: ["look", "book"] }, ...more }
  })

describe("Checklist", () => {
  it("refuses a completion until each tool has done its work, a read by its answer, a mutation by its record", () => {
    const bench = checked()
    const complete = () => bench.proposes({ type: "goal.complete" })
    assert.deepStrictEqual(failing(complete()), ["policy topology.checklist"])
    assert.include(JSON.stringify(bench.last.body.data?.["checks"]), `"args":{"tools":["look","book"]}`)
    bench.answers(call(bench.proposes({ tool: "look", params: { q: "a" } })).action, ok({ found: 1 }))
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    // The airline has answered, and its record was not read yet.
    assert.deepStrictEqual(failing(complete()), ["policy topology.checklist"])
    bench.readsBack(action, ok({ id: "LX1", price: 80 }))
    ends(complete(), "Done")
  })

  it("counts no read that failed, and no call that was refused", () => {
    const bench = checked()
    const { action } = call(bench.proposes({ tool: "look", params: { q: "a" } }))
    bench.answers(action, { _tag: "Error", error: "no connection" })
    bench.proposes({ tool: "book", params: {} })
    assert.deepStrictEqual(Checklist.done(bench.transitions), [])
  })

  it("binds no subgoal, no other type, and no person", () => {
    const bench = checked({ progress: { subgoals: ["car"] } })
    ends(bench.proposes({ type: "goal.complete", data: { subgoal: "car" } }), "Done")
    ends(bench.proposes({ type: "plan.update", data: { plan: "a" } }), "Done")
    assert.deepStrictEqual(Checklist.of(bench.pack, { type: "goal.complete", author: "user" }), [])
    assert.deepStrictEqual(Checklist.of(bench.pack, { type: "goal.complete" }), ["look", "book"])
  })
})
