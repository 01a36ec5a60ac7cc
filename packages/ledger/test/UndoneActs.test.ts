import { assert, describe, it } from "@effect/vitest"
import * as UndoneActs from "../src/history/UndoneActs.ts"
import { booked, ok, requested, started, step, trace } from "./actions.ts"

/** Two acts, the second of which is undone by a third action. */
const transitions = trace(
  ...booked("a1"),
  ...booked("a2"),
  requested("a3", { undoes: "a2" }),
  started("a3"),
  step("action.result", "a3", ok),
  step("action.verified", "a3", { status: "ok", output: "B1", trust: 2 }),
  step("action.reconciled", "a3", { status: "ok", basis: "readback", trust: 3 })
)

describe("UndoneActs", () => {
  it("lists an act that stood at a tick and was undone since, with the tick before it", () => {
    const [act, ...more] = UndoneActs.since(transitions, 10)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(act, { action: "a2", tool: "book", undo: "undone", by: "a3", before: 5, tick: 15 })
  })

  it("lists an act whose undoing has only begun", () => {
    const [act] = UndoneActs.since(transitions.slice(0, 12), 10)
    assert.deepStrictEqual(act, { action: "a2", tool: "book", undo: "undoing", by: "a3", before: 5 })
  })

  it("lists an act whose undoing had begun at the tick, and is verified since", () => {
    const undone = { action: "a2", tool: "book", undo: "undone", by: "a3", before: 5, tick: 15 } as const
    assert.deepStrictEqual(UndoneActs.since(transitions, 12), [undone])
    assert.deepStrictEqual(UndoneActs.since(transitions, 12, { standing: true }), [])
    assert.deepStrictEqual(UndoneActs.since(transitions.slice(0, 13), 12), [])
  })

  it("lists no act before it is done, and none once the state knows of its undoing", () => {
    assert.deepStrictEqual(UndoneActs.since(transitions, 5), [])
    assert.deepStrictEqual(UndoneActs.since(transitions, 15), [])
  })

  it("finds the last tick whose state believes no such act, and is content with it", () => {
    const { behind, from } = UndoneActs.clear(transitions, 10)
    assert.deepStrictEqual([from, behind.length], [5, 1])
    assert.deepStrictEqual(UndoneActs.clear(transitions, from), { from, behind: [] })
  })
})
