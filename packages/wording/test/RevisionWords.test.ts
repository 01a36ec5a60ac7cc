import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { RevisionWords } from "../src/said/RevisionWords.ts"

const { conflicts, lost, stale }: RevisionWords = English.words.plans

describe("RevisionWords", () => {
  it("tell an act that no longer fits from one about which nobody has answered", () => {
    assert.strictEqual(conflicts.unfit, "it no longer fits")
    assert.match(conflicts.unanswered, /nobody said that it does$/)
  })

  it("say of every act that a plan gives up that it stays, each for a reason of its own", () => {
    const reasons = Object.values(lost)
    for (const says of [...reasons, stale]) assert.match(says, /^it stays/)
    assert.strictEqual(new Set(reasons).size, reasons.length)
  })
})
