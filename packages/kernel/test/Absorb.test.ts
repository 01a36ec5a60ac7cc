import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import { assert, describe, it } from "@effect/vitest"
import * as RunAbsorption from "../src/revision/RunAbsorption.ts"
import * as Goal from "../src/state/Goal.ts"
import { type Bench, bookOf, ends, failing } from "./lab.ts"
import { benchOf, books, injects, judging } from "./revised.ts"

const toBritish = { change: "set", clause: "carrier", value: "BA" } as const

const commandOf = (bench: Bench) => {
  const own = judging(bench)
  return RunAbsorption.command(own, RunAbsorption.plan(own)!)
}

describe("Absorb", () => {
  it("commits the absorption together with the plan of its undoing", () => {
    const bench = benchOf()
    const action = books(bench, "LX1")
    injects(bench, toBritish)
    const { next } = bench.does(commandOf(bench))
    assert.strictEqual(next._tag, "Compensate")
    assert.isUndefined(Goal.of(bench.state).pending)
    const open = UndoPlan.open(bench.state)
    assert.deepInclude(open, { cause: "revision", masks: [action] })
    assert.deepStrictEqual(open?.because.code, "cause.revised")
    // Nothing is begun while the undoing is under way.
    const more = bench.proposes(bookOf("BA1"))
    assert.deepStrictEqual(failing(more), ["policy undoing"])
  })

  it("records an absorption that changes nothing, and lets the agent go on", () => {
    const bench = benchOf()
    books(bench, "LX1")
    injects(bench, { change: "set", clause: "max", value: 500 })
    ends(bench.does(commandOf(bench)), "Done")
    assert.strictEqual(bench.last.body.type, "revision.absorbed")
    assert.isUndefined(UndoPlan.open(bench.state))
    books(bench, "LX2")
  })

  it("is refused at another head than that of its plan, or for other revisions", () => {
    const bench = benchOf()
    books(bench, "LX1")
    injects(bench, toBritish)
    const command = commandOf(bench)
    injects(bench, { change: "withdraw", clause: "news" })
    const changed = (each: typeof command) => failing(bench.decides(each))
    assert.deepStrictEqual(changed(command), ["context revision"])
    assert.deepStrictEqual(changed({ ...command, at: bench.at.head.tick }), ["context revision"])
  })

  it("answers from the record if another process has absorbed the revision", () => {
    const bench = benchOf()
    injects(bench, { change: "withdraw", clause: "news" })
    const command = commandOf(bench)
    ends(bench.does(command), "Done")
    assert.strictEqual(ends(bench.does(command), "Done").basis, "recorded")
  })
})
