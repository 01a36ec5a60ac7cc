import { assert, describe, it } from "@effect/vitest"
import * as RunActs from "../src/revision/RunActs.ts"
import { bookOf } from "./lab.ts"
import { benchOf, books, injects, judging, looks } from "./revised.ts"

describe("RunActs", () => {
  it("has each call with its keys, its answer, and the states before and after its effect", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    const action = books(bench, "LX1")
    const { calls } = judging(bench).acts
    assert.deepStrictEqual(
      [...calls.values()].map(({ contract }) => contract.name),
      ["look", "book"]
    )
    const call = calls.get(action)!
    assert.deepStrictEqual(call.reads, ["working.notes"])
    assert.deepStrictEqual([...call.writes].sort(), ['world.bookings["LX1"]', "world.spent"])
    assert.deepInclude(call, { isOk: true, observed: { id: "LX1", price: 80 }, actual: { id: "LX1", price: 80 } })
    assert.deepStrictEqual([call.before?.world["spent"], call.after?.world["spent"]], [0, 80])
  })

  it("keeps who changed `working`, the agent too", () => {
    const bench = benchOf()
    const action = looks(bench, "LX1")
    bench.proposes({ type: "observation.add", data: { text: "cold" } })
    const { written } = judging(bench).acts
    assert.deepStrictEqual(
      written.get("working.notes")?.map((each) => each.action),
      [undefined, action, undefined]
    )
  })

  it("has no act of what was refused, is not settled, or undoes another", () => {
    const bench = benchOf()
    bench.proposes({ tool: "book", params: { flight: 1 } })
    assert.strictEqual(judging(bench).acts.calls.size, 0)
    bench.proposes(bookOf("LX1"))
    const [call] = judging(bench).acts.calls.values()
    assert.isUndefined(call?.settledAt)
  })

  it("remembers what absorptions have discarded", () => {
    const bench = benchOf()
    const action = books(bench, "LX1")
    injects(bench, { change: "set", clause: "carrier", value: "BA" })
    const { acts } = judging(bench)
    assert.strictEqual(acts.discarded.size, 0)
    const data = { discarded: [action] }
    const transition = { ...bench.last, body: { author: "kernel", data, type: "revision.absorbed" } } as const
    RunActs.follow(acts, { before: bench.state, transition, after: bench.state }, bench.pack)
    assert.deepStrictEqual([...acts.discarded], [action])
  })
})
