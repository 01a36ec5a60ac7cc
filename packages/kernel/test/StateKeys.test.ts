import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as StateKeys from "../src/subtask/StateKeys.ts"

const machine = { field: "stage", states: ["a"], edges: [] }

describe("StateKeys", () => {
  it("names the rows and fields that changed, without the state of the agent", () => {
    const before = {
      kernel: {},
      world: { n: 1 },
      working: { rows: Table.from([["x", 1]]), stage: "a", notes: List.from([]) }
    }
    const after = {
      kernel: {},
      world: { n: 2 },
      working: { rows: before.working.rows.set("y", 2), stage: "b", notes: List.from(["one"]) }
    }
    assert.deepStrictEqual(StateKeys.changed(before, after, machine), ["world.n", 'working.rows["y"]', "working.notes"])
    assert.deepStrictEqual(StateKeys.changed(before, before, machine), [])
  })

  it("finds the place of a key again, if it is one of working", () => {
    assert.deepStrictEqual(StateKeys.placeOf('working.rows["y"]'), { name: "rows", row: "y" })
    assert.deepStrictEqual(StateKeys.placeOf("working.notes"), { name: "notes" })
    assert.isUndefined(StateKeys.placeOf("world.n"))
    assert.isUndefined(StateKeys.placeOf("agreed[1]"))
  })
})
