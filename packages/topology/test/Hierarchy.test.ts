import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Hierarchy from "../src/shapes/Hierarchy.ts"
import { cracksOf, declare, stateOf, Tape } from "./lab.ts"

const declared = declare("hierarchical", { queueMax: 4 })
const load = (waiting: number, idle: number) => ({ memo: "load", waiting, idle })

describe("Hierarchy", () => {
  it("is jammed where the queue at the root grows past its limit while leaves are idle", () => {
    const tape = new Tape().note(load(2, 1), "root").note(load(4, 2), "root").note(load(5, 3), "root")
    const found = { crack: "root_bottleneck", agent: "root", evidence: [1, 2, 3], tick: 3 } as const
    assert.deepInclude(cracksOf(tape, declared)[0], found)
  })

  it("is not jammed while the queue shrinks, while it is short, or while every leaf works", () => {
    const shrinking = new Tape().note(load(9, 1)).note(load(7, 1)).note(load(8, 1))
    const short = new Tape().note(load(1, 1)).note(load(2, 1)).note(load(4, 1))
    const busy = new Tape().note(load(4, 1)).note(load(6, 0)).note(load(8, 1))
    for (const tape of [shrinking, short, busy]) assert.deepStrictEqual(cracksOf(tape, declared), [])
  })

  it("reads the queue from the tasks where a root notes no load", () => {
    const tape = new Tape()
    for (let index = 0; index < 6; index++)
      tape.note({ memo: "dispatch", task: `t${index}`, worker: `w${index}` }, "root")
    for (let index = 0; index < 6; index++) tape.note({ memo: "report", task: `t${index}`, result: index }, `w${index}`)
    assert.deepInclude(cracksOf(tape, declared)[0], { crack: "root_bottleneck", agent: "root" })
    const collecting = new Tape()
    for (let index = 0; index < 12; index++) {
      const task = `t${index}`
      collecting.note({ memo: "dispatch", task, worker: `w${index % 3}` }, "root")
      collecting.note({ memo: "report", task, result: index }, "w").note({ memo: "collect", task }, "root")
    }
    assert.deepStrictEqual(cracksOf(collecting, declared), [])
  })

  it("counts what waits at the root, and nothing that a boss below it collects", () => {
    const tape = new Tape().note({ memo: "dispatch", task: "shard", worker: "boss" }, "root")
    for (let index = 0; index < 9; index++)
      tape.note({ memo: "dispatch", task: `t${index}`, worker: `w${index}` }, "boss")
    for (let index = 0; index < 9; index++) tape.note({ memo: "report", task: `t${index}`, result: index }, `w${index}`)
    assert.deepStrictEqual(cracksOf(tape, declared), [])
  })

  it("goes on at the lowest level that is not brought together", () => {
    const tape = new Tape().note({ memo: "aggregate", level: 1, of: 4 }).note({ memo: "aggregate", level: 3, of: 1 })
    assert.strictEqual(Hierarchy.nextLevel(stateOf<Hierarchy.Hierarchy>(tape, declared)), 2)
  })

  it.prop(
    "shards what waits so that no shard is longer than the queue may be, and no task is lost or doubled (T8)",
    [Schema.Array(Schema.String), Schema.Natural.check(Schema.isLessThan(8))],
    ([waiting, queueMax]) => {
      const shards = Hierarchy.shards(waiting, { ...declared, queueMax })
      assert.deepStrictEqual(shards.flat(), waiting)
      assert.isTrue(shards.every((shard) => shard.length <= Math.max(1, queueMax)))
    }
  )
})
