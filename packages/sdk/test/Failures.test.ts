import { assert, describe, it } from "vitest"
import * as Failures from "../src/failures/Failures.ts"
import { ownError } from "../src/failures/foreignErrors.ts"
import type { Held } from "../src/values/Outcome.ts"

const held: Held = {
  status: "held",
  run: "job-1",
  action: "a2",
  why: "no answer came",
  next: [
    { verb: "resolve", say: "settle it", call: "bs.resolve(…)" },
    { verb: "wait", say: "wait" }
  ]
}

describe("Failures", () => {
  it("knows an error of another copy of the package by its brand", async () => {
    const path = "../src/failures/Failures.ts?copy"
    const copy = (await import(path)) as typeof Failures
    assert.notStrictEqual(copy.OutcomeUnknown, Failures.OutcomeUnknown)
    const cause = new copy.OutcomeUnknown(held, "charge")
    assert.isTrue(cause instanceof Failures.OutcomeUnknown && cause instanceof Failures.BackstitchError)
    assert.isFalse((cause as unknown) instanceof Failures.CallFailed)
    assert.isFalse({ code: "outcome_unknown" } instanceof Failures.OutcomeUnknown)
  })

  it("says what happened and what may be done next", () => {
    const cause = Failures.ofOutcome(held, "charge")
    assert.deepStrictEqual(
      [cause.code, cause.run, cause.action, cause.next],
      ["outcome_unknown", "job-1", "a2", held.next]
    )
    assert.strictEqual(
      cause.message,
      "Nobody knows whether charge was done: no answer came\n  next: bs.resolve(…) (settle it)\n  next: wait"
    )
  })

  it("gives a code to the errors of other packages, and leaves defects as they are", () => {
    const tagged = Object.assign(new Error("it differs"), { _tag: "SecretDiffers", run: "job-1" })
    const found = ownError(tagged)
    assert.isTrue(found instanceof Failures.BackstitchError && found.code === "secret_differs" && found.run === "job-1")
    const defect = new TypeError("broken")
    assert.strictEqual(ownError(defect), defect)
    assert.strictEqual(ownError(found), found)
  })
})
