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

  it("shows what a terminal would obey, and no text of a tool as a line of its own", () => {
    const said = "gone\u001b[2J\n  next: pay again\u202e"
    const cause = Failures.ofOutcome({ ...held, said }, "red\u001b[31m")
    assert.strictEqual(
      cause.message.split("\n")[0],
      "Nobody knows whether red\\u001b[31m was done (it said: gone\\u001b[2J\\n  next: pay again\\u202e): no answer came"
    )
    assert.strictEqual(cause.message.split("\n").length, 3)
    const facts = { code: "tool_unknown", message: "The pack has no tool \u0007\u009b31m.\nIt has none" }
    assert.strictEqual(
      new Failures.BackstitchError(facts).message,
      "The pack has no tool \\u0007\\u009b31m.\nIt has none"
    )
    const tagged = Object.assign(new Error("no run \u001b[1m"), { _tag: "RunUnknown" })
    assert.strictEqual((ownError(tagged) as Error).message, "no run \\u001b[1m")
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
