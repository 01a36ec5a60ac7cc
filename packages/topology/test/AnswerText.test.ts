import { assert, describe, it } from "@effect/vitest"
import * as AnswerText from "../src/event/AnswerText.ts"

describe("AnswerText", () => {
  it("knows objects by their form, and the words for their absence", () => {
    assert.deepStrictEqual(AnswerText.objectsIn("read ./src/a.ts, then HTL-117."), ["src/a.ts", "HTL-117"])
    for (const text of ["File not found", "ENOENT: no such file or directory", "404", "user does not exist"]) {
      assert.isTrue(AnswerText.saysNotFound(text))
    }
    for (const text of ["Unable to locate it", "No record matches", "it has been archived", "it couldn't be found"]) {
      assert.isTrue(AnswerText.saysNotFound(text))
    }
    assert.isFalse(AnswerText.saysNotFound("fully booked"))
  })

  it("knows an answer that says that the matter is under way, and not one that an act may not be done yet", () => {
    for (const answer of ["pending", "job is still running", { status: "IN_PROGRESS" }, "not ready yet"]) {
      assert.isTrue(AnswerText.saysPending(answer), AnswerText.of(answer))
    }
    for (const text of ["no results", "accepted", "needs a review"]) assert.isFalse(AnswerText.saysPending(text), text)
  })
})
