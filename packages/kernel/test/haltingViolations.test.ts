import { assert, describe, it } from "@effect/vitest"
import * as Check from "../src/payload/Check.ts"
import type { Definition } from "./lab.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const bench = (when: string, halts = true) => {
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract
  const violations: Definition["violations"] = [{ id: "v", when, ...(halts ? { then: "halt_mutations" } : {}) }]
  const made = new Bench({ changes: { violations } })
  made.proposes({ type: "plan.update", data: { plan: "a" } })
  return made
}

describe("a violation", () => {
  it("refuses mutations from its tick on if it halts, says since when, and keeps no fact out of the trace", () => {
    const halted = bench("working.plan == 'a'")
    const [check] = Check.failing(ends(halted.proposes(bookOf("LX1")), "Refused").checks)
    assert.deepStrictEqual<unknown>(check, {
      step: "policy",
      id: "v",
      why: { args: { since: 2 }, code: "violation.halts" }
    })
    ends(halted.proposes({ type: "observation.add", data: { text: "x" } }), "Done")
    call(halted.proposes({ tool: "look", params: { q: "x" } }))
  })

  it("refuses mutations if it halts and cannot be evaluated: silence is not permission", () => {
    const halted = bench("working.plan == 'a' && working.notes[0] == 'x'")
    const [check] = Check.failing(ends(halted.proposes(bookOf("LX1")), "Refused").checks)
    assert.deepStrictEqual<unknown>(check, {
      step: "policy",
      id: "v",
      why: { args: { since: 2 }, code: "violation.unanswered" }
    })
    call(halted.proposes({ tool: "look", params: { q: "x" } }))
  })

  it("is reported and refuses nothing if it does not halt (decision 0032)", () => {
    const reported = bench("working.plan == 'a'", false)
    assert.deepStrictEqual(reported.types(1), ["plan.update", "predicate.violation"])
    call(reported.proposes(bookOf("LX1")))
    assert.deepStrictEqual(failing(reported.proposes(bookOf("LX2", 500))), ["guard cheap"])
  })
})
