import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"

describe("Run", () => {
  it("names the form that an invalid name would need", () => {
    for (const id of ["", "../x", ".x", "a b", "\u001b[2J", "ü", "x".repeat(201)]) {
      assert.throws(() => Run.make(id), Run.NameInvalid)
    }
    assert.throws(() => Run.make("../x"), /"\.\.\/x" cannot name a run\. Names begin with a letter or digit/)
    assert.strictEqual(new Run.NameInvalid({ given: "../x", of: "run" }).name, "@backstitch/trace/NameInvalid")
    assert.throws(() => Run.make("trip", "a b"), /"a b" cannot name a tenant/)
    assert.deepStrictEqual({ ...Run.make("trip-42") }, { tenant: "default", id: "trip-42" } as Run.Run)
  })
})
