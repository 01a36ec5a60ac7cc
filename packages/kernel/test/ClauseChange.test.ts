import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import { assert, describe, it } from "@effect/vitest"
import * as ClauseChange from "../src/revision/ClauseChange.ts"
import { benchOf } from "./revised.ts"

const { pack } = benchOf()
const goal: RevisedSpecification.RevisedClauses = { clauses: { max: 200 } }

const between = (...changes: ReadonlyArray<RevisedSpecification.RevisionChange>) =>
  ClauseChange.between(pack, goal, RevisedSpecification.revise(goal, changes)).map(
    ({ change, clause, past }) => `${change} ${clause}${past === undefined ? "" : ` past ${past.join()}`}`
  )

describe("ClauseChange", () => {
  it("is one change of a clause, however often it was revised", () => {
    const set = (value: number) => ({ change: "set", clause: "max", value }) as const
    assert.deepStrictEqual(between(set(100), set(50)), ["set max"])
    assert.deepStrictEqual(between(set(100), set(200)), [])
  })

  it("is an addition of what comes into force, and of another condition a new value", () => {
    const add = (holds: string) => ({ change: "add", clause: "light", holds }) as const
    assert.deepStrictEqual(between(add("true")), ["add light"])
    const [before, after] = ["true", "world.spent > 0"].map((holds) => RevisedSpecification.revise(goal, [add(holds)]))
    assert.deepStrictEqual(ClauseChange.between(pack, before!, after!), [{ change: "set", clause: "light" }])
  })

  it("is a withdrawal of what is no longer in force, and nothing if it came and went", () => {
    assert.deepStrictEqual(between({ change: "withdraw", clause: "news" }), ["withdraw news"])
    assert.deepStrictEqual(
      between({ change: "add", clause: "light", holds: "true" }, { change: "withdraw", clause: "light" }),
      []
    )
  })

  it("takes a clause for its own, if each object has a member of that name", () => {
    const add = { change: "add", clause: "constructor", holds: "true" } as const
    assert.deepStrictEqual(between(add), ["add constructor"])
    assert.deepStrictEqual(between(add, { change: "withdraw", clause: "constructor" }), [])
  })

  it("names the clauses with which another has changed places", () => {
    assert.deepStrictEqual(between({ change: "prioritise", clauses: ["max"] }), [
      "prioritise max past carrier",
      "prioritise carrier past max"
    ])
  })
})
