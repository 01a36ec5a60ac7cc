import { assert, describe, it } from "@effect/vitest"
import * as commits from "../src/commits.ts"

const faults = (subject: string, body = "") => commits.faults({ id: "1", subject, body })

describe("commits", () => {
  it("accept a short conventional subject, and a fix that says why", () => {
    assert.deepStrictEqual(faults("feat(trace): a feed of commits"), [])
    assert.deepStrictEqual(faults("docs: what is next"), [])
    assert.deepStrictEqual(faults("fix(kernel)!: a fold without actions", "It accused a run that had none."), [])
  })

  it("name each fault of a subject", () => {
    assert.deepStrictEqual(faults("A feed of commits"), ['begin the subject with its kind, such as "fix(kernel): "'])
    assert.deepStrictEqual(faults(`docs: ${"x".repeat(67)}`), ["the subject has 73 characters, at most 72"])
    assert.deepStrictEqual(faults("docs: a feed."), ["leave out the full stop of the subject"])
  })

  it("want a body of a fix, a refactoring and a gain in speed", () => {
    for (const kind of ["fix", "refactor(sql)", "perf!"]) {
      assert.deepStrictEqual(faults(`${kind}: a feed`, " \n"), ["say why in a body"])
    }
  })
})
