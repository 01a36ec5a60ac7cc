import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Issue, SelfRecovery, TaskPack } from "../src/index.ts"

const lifted = {
  pack: "acme.form",
  version: "1.0.0",
  tools: { find: { class: "read_only" } },
  machine: { initial: "open", states: ["open"], edges: [{ from: "open", tool: "find", to: "open" }] },
  skeletons: { slot: { tools: ["find"], states: ["open"], entry: ["open"] } }
} as const

const read = (recovery: unknown, pack: object = lifted) => TaskPack.make({ ...pack, recovery } as object)
const issuesOf = (read: ReturnType<typeof TaskPack.make>) =>
  Result.isFailure(read) ? read.failure.issues.map(Issue.format) : []

describe("SelfRecovery", () => {
  it("is off by default, and is completed by one try, the commit policy and a hold", () => {
    assert.isUndefined(Result.getOrThrow(TaskPack.make(lifted)).recovery)
    assert.deepStrictEqual(Result.getOrThrow(read({})).recovery, SelfRecovery.standard)
    assert.deepStrictEqual(Result.getOrThrow(read({ policy: "entry", tries: 3, blocked: "rerun" })).recovery, {
      policy: "entry",
      tries: 3,
      blocked: "rerun"
    })
    assert.strictEqual(Result.getOrThrow(read({ consumers: "instance" })).recovery?.consumers, "instance")
  })

  it("is refused without subtasks, without a value, and with words that mean nothing", () => {
    const { machine: _, ...bare } = lifted
    assert.match(
      issuesOf(read({}, bare)).join(),
      /recovery without subtasks, expected a pack with machine and skeletons/
    )
    assert.match(issuesOf(read(null)).join(), /a section without a value/)
    for (const wrong of [
      { policy: "latest" },
      { tries: -1 },
      { blocked: "wait" },
      { retries: 2 },
      { consumers: "values" }
    ]) {
      assert.isAbove(issuesOf(read(wrong)).length, 0)
    }
  })
})
