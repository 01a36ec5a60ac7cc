import * as ProblemStatus from "@backstitch/api/ProblemStatus"
import { assert, describe, it } from "@effect/vitest"
import * as ExitCode from "../src/terminal/ExitCode.ts"

const unfit = Object.entries(ProblemStatus.table)
  .filter(([, status]) => status === 400 || status === 404)
  .map(([tag]) => tag)

describe("the exit code of an error", () => {
  it("is that of wrong usage if a server calls the request unfit, or what it names unknown", () => {
    for (const tag of unfit) {
      assert.strictEqual(ExitCode.ofError(tag), ExitCode.excepted.has(tag) ? 1 : 2, tag)
    }
    for (const tag of ["DurationInvalid", "NameInvalid", "NotCanonical", "RunUnknown"]) {
      assert.strictEqual(ExitCode.ofError(tag), 2, tag)
    }
  })

  it("is decided by one list: no tag is in two, and each exception is one of the unfit", () => {
    for (const tag of ExitCode.misuses) assert.notInclude(unfit, tag)
    for (const tag of ExitCode.excepted) assert.include(unfit, tag)
  })

  it("is that of a failure for any other, such as one of a store or of a name that objects have", () => {
    for (const tag of ["TraceStoreError", "GoalReached", "Unheard", "constructor", "__proto__"]) {
      assert.strictEqual(ExitCode.ofError(tag), 1, tag)
    }
  })
})
