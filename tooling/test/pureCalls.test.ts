import { assert, describe, it } from "@effect/vitest"
import * as PureCalls from "../src/PureCalls.ts"

const pure = "/* @__PURE__ */ "

describe("PureCalls", () => {
  it("marks the calls of constants and of bases of classes, one mark for a chain", () => {
    assert.strictEqual(
      PureCalls.mark("export const Name: S.Of<string> = S.text().check(S.max(3))").code,
      `export const Name: S.Of<string> = ${pure}S.text().check(${pure}S.max(3))`
    )
    assert.strictEqual(
      PureCalls.mark("export class Failed extends S.failure<Failed>('x')('y') {}").code,
      `export class Failed extends ${pure}S.failure<Failed>('x')('y') {}`
    )
    assert.strictEqual(
      PureCalls.mark("const names = new Set([f()])").code,
      `const names = ${pure}new Set([${pure}f()])`
    )
  })

  it("marks no call that is made for its effect, or later", () => {
    for (const text of ["register(all)", "const later = () => make()", "function make() { return new Map() }"]) {
      assert.strictEqual(PureCalls.mark(text).code, text)
    }
  })
})
