import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { FunctionSource, Limits } from "../src/index.ts"

const compiled = (source: string) => Result.getOrThrow(FunctionSource.compile(source))

describe("Limits", () => {
  it("bound the values that one call of a function is spread over", () => {
    const { spreadValuesMax } = Limits.deciding
    const count = compiled("({ length }) => ((...all) => all.length)(...Array.from({ length }, () => 1))")
    assert.strictEqual(count({ length: spreadValuesMax }), spreadValuesMax)
    assert.throws(() => count({ length: spreadValuesMax + 1 }), `more than ${spreadValuesMax} values over one call`)
  })

  it("bound the calls that a function has open within one another", () => {
    const { openCallsMax } = Limits.deciding
    const deep = compiled("function self({ n }) { return n === 1 ? 1 : self({ n: n - 1 }) }")
    assert.strictEqual(deep({ n: openCallsMax }), 1)
    assert.throws(() => deep({ n: openCallsMax + 1 }), `more than ${openCallsMax} calls open`)
  })

  it("bound the steps of one call, and count each call anew", () => {
    const { functionStepsMax } = Limits.deciding
    const count = compiled("({ n }) => { let i = 0; while (i < n) i++; return i }")
    const most = functionStepsMax - 1
    assert.deepStrictEqual([count({ n: most }), count({ n: most })], [most, most])
    assert.throws(() => count({ n: functionStepsMax }), `more than ${functionStepsMax} steps`)
  })
})
