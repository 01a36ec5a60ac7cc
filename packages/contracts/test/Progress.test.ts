import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Definition, Progress, TaskPack } from "../src/index.ts"

const make = (progress: Definition.Definition["progress"]) =>
  TaskPack.make({ pack: "acme.trips", version: "1.0.0", ...(progress === undefined ? {} : { progress }) })

describe("Progress", () => {
  it("reads subgoals and weights, and takes the standard for omitted ones", () => {
    const pack = Result.getOrThrow(make({ subgoals: ["flight", "hotel"], weights: { survival: 0 } }))
    assert.deepStrictEqual(pack.progress, {
      subgoals: ["flight", "hotel"],
      weights: { completion: 1, constraints: 1, survival: 0 },
      recent: Progress.standard.recent
    })
  })

  it("changes nothing in a pack that declares none, its digest included", () => {
    const pack = Result.getOrThrow(make(undefined))
    assert.notProperty(pack, "progress")
    assert.notProperty(pack.definition, "progress")
  })

  it("travels with the pack", () => {
    const pack = Result.getOrThrow(make({ subgoals: ["flight"], recent: 5 }))
    const again = Result.getOrThrow(TaskPack.fromJson(TaskPack.toJson(pack)))
    assert.deepStrictEqual([again.progress, again.digest], [pack.progress, pack.digest])
  })

  it("refuses a negative weight and a subgoal that is named twice", () => {
    const refused = Result.getOrThrow(Result.flip(make({ subgoals: ["a", "a"], weights: { completion: -1 } })))
    assert.match(refused.message, /2 things are wrong/)
    assert.match(refused.message, /each subgoal once/)
    assert.match(refused.message, /a number from 0 on/)
  })
})
