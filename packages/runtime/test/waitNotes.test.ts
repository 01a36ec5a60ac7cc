import type { Memo } from "@backstitch/topology/Memo"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as WaitNotes from "../src/topology/waitNotes.ts"

const openIn = (memos: ReadonlyArray<readonly [string, Memo]>) =>
  WaitNotes.openIn(
    memos.map(
      ([agent, topology], place): Transition => ({
        body: { agent, author: "agent", data: { topology }, type: "plan.update" },
        envelope: { ts: 1 },
        stamp: { asOf: 1 },
        tick: place + 1
      })
    )
  ).map(({ agent }) => agent)

const dispatch = (task: string) => ["planner", { memo: "dispatch", task, worker: "executor" }] as const

const wait = (task: string, worker: string) => ["planner", { memo: "wait", millis: 600_000, task, worker }] as const

describe("A noted wait for an agent", () => {
  it("is over once the agent gives a sign, and not because its boss orders something else", () => {
    const before = [dispatch("one"), wait("one", "executor"), dispatch("two")]
    assert.deepStrictEqual(openIn(before), ["executor"])
    assert.deepStrictEqual(openIn([...before, ["executor", { memo: "report", result: 7, task: "one" }]]), [])
  })

  it("for a look at the world is over once the run goes on behind it, since a look gives no sign", () => {
    const look = wait("world", "world")
    assert.deepStrictEqual(openIn([look]), ["world"])
    assert.deepStrictEqual(openIn([look, dispatch("plan 1")]), [])
    assert.deepStrictEqual(openIn([look, ["executor", { memo: "step", status: "begun", step: 2 }]]), [])
    assert.deepStrictEqual(openIn([dispatch("plan 1"), look, dispatch("plan 2"), look]), ["world"])
  })
})
