import { assert, describe, it } from "@effect/vitest"
import * as Memo from "../src/event/Memo.ts"
import * as TopologyEvent from "../src/event/TopologyEvent.ts"
import { Tape } from "./lab.ts"

const only = (tape: Tape) => tape.transitions.flatMap(TopologyEvent.of)

describe("Memo", () => {
  it("is read from what agents write, and from nobody else", () => {
    const data = { topology: { memo: "collect", task: "t1" } }
    assert.deepStrictEqual(Memo.of({ type: "memory.write", author: "agent", data }), data.topology as Memo.Memo)
    assert.isUndefined(Memo.of({ type: "message.received", author: "user", data }))
    assert.isUndefined(Memo.of({ type: "action.result", author: "kernel", data }))
  })

  it("is malformed, and no crash, whatever stands there", () => {
    for (const topology of [null, 7, "dispatch", [], { memo: 3 }, { memo: "gate", score: 4 }]) {
      const read = Memo.of({ type: "artifact.write", author: "agent", data: { topology } })
      assert.strictEqual(read?.memo, "malformed")
    }
  })
})

describe("Event", () => {
  it("reads a plan with its steps in the usual place", () => {
    const tape = new Tape().add({ type: "plan.update", data: { steps: ["search", { do: "book" }] } })
    const [event] = only(tape)
    assert.deepInclude(event, { _tag: "Noted", memo: { memo: "plan", steps: ["search", '{"do":"book"}'] } })
  })

  it("reads a reversal as no call of the agent, and an unknown outcome as no success", () => {
    const tape = new Tape()
    tape.add({ type: "action.request", author: "kernel", action: { id: "u", tool: "cancel", undoes: "a1" } })
    tape.add({ type: "action.result", author: "kernel", action: { id: "a1" }, result: { status: "unknown" } })
    assert.deepStrictEqual(
      only(tape).map((event) => [event._tag, "ok" in event && event.ok]),
      [["Answered", false]]
    )
  })
})
