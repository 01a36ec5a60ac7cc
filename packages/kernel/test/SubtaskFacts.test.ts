import { assert, describe, it } from "@effect/vitest"
import * as Payload from "../src/payload/Payload.ts"
import * as SubtaskFacts from "../src/subtask/SubtaskFacts.ts"

const instance = { skeleton: "slot", entity: 0, ordinal: 1 }
const failure = { tick: 7, state: "open", tool: "find", signal: "timeout" } as const

describe("SubtaskFacts", () => {
  it("fit their types, and copy nothing of the state", () => {
    const facts = [
      ...(["entry", "commit", "exit"] as const).map((kind) =>
        SubtaskFacts.ofCheckpoint({ instance, kind, tick: 3, state: "open" })
      ),
      SubtaskFacts.ofFailure(failure),
      SubtaskFacts.ofFailure({ ...failure, action: "a4", entity: null })
    ]
    for (const fact of facts) {
      assert.isTrue(SubtaskFacts.isOne(fact.type))
      assert.isUndefined(Payload.misfit(fact))
    }
    assert.deepStrictEqual(facts[1], {
      type: "checkpoint.commit",
      data: { at: 3, entity: 0, ordinal: 1, skeleton: "slot", state: "open" }
    })
    assert.strictEqual(new Set(facts.map(SubtaskFacts.nameOf)).size, facts.length)
    assert.isFalse(SubtaskFacts.isOne("action.request"))
  })
})
