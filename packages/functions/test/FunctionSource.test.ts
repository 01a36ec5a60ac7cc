import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { FunctionSource } from "../src/index.ts"

const limit = 3

describe("FunctionSource", () => {
  it("takes the text of functions, arrows and methods", () => {
    const object = {
      check(n: number) {
        return n > 1
      }
    }
    for (const written of [(n: number) => n > 1, object.check]) {
      const compiled = Result.getOrThrow(FunctionSource.compile(FunctionSource.of(written).source))
      assert.deepStrictEqual([compiled(1), compiled(2)], [false, true])
    }
  })

  it("finds the identifiers that a function does not declare", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["(w) => w.spent > limit", ["limit"]],
      ["({ a, b: { c = d } }, ...rest) => a + c + rest.length", ["d"]],
      ["(x) => { const { y, ...z } = x; return { y, z, q } }", ["q"]],
      ["(x) => { for (const [k, v] of Object.entries(x)) if (v) return k; return late; var late = 1 }", []],
      ["(x) => { function inner() { return x + outer } return inner() }", ["outer"]],
      ["function self(n) { return n === 0 ? 0 : self(n - 1) }", []],
      ["(x) => { try { return x.y } catch (error) { return error } }", []],
      ["(x) => { again: for (;;) { break again } return { key: 1, [x]: 2 } }", []],
      ["(x) => { switch (x) { case 1: { let y = 2; return y } default: return y } }", ["y"]],
      ["(x) => ((y) => y + z)(x)", ["z"]],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      ["(x) => `${x} ${name}`", ["name"]]
    ]
    for (const [source, expected] of cases)
      assert.deepStrictEqual(FunctionSource.freeIdentifiers(source), expected, source)
  })

  it("refuses clocks, chance, input, output and asynchrony, each with its reason", () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      ["() => Date.now()", /it uses Date/],
      ["() => Math.random()", /Math\.random/],
      ["() => Math.sin(1)", /Math\.sin/],
      ["() => { const m = Math; return m.random() }", /passes Math around/],
      ["() => fetch('x')", /it uses fetch/],
      ["() => globalThis.process", /it uses globalThis/],
      ["() => eval('1')", /it uses eval/],
      ["() => Function('return 1')()", /it uses Function/],
      ["() => (() => {}).constructor('return this')()", /it uses \.constructor/],
      ["() => (() => {})['constructor']('return this')()", /it uses \.constructor/],
      ["({ constructor }) => constructor", /it uses \.constructor/],
      ["function () { return this }", /it uses this/],
      ["async () => 1", /it is async/],
      ["function* () { yield 1 }", /it is a generator/],
      ["() => import('x')", /it imports/],
      ["() => new Promise(() => {})", /it uses Promise/],
      ["(x) => x.toLocaleString()", /toLocaleString/],
      ["() => 1n", /bigint/],
      ["1 + 1", /not a function expression/],
      ["() => {", /not the source of one function/],
      ["() => 1); (() => 2", /not the source of one function/]
    ]
    for (const [source, reason] of cases) {
      const compiled = FunctionSource.compile(source)
      assert.isTrue(Result.isFailure(compiled), source)
      if (Result.isFailure(compiled)) assert.match(compiled.failure.message, reason, source)
    }
  })

  it("names every reason at once", () => {
    assert.strictEqual(FunctionSource.reasons("async (x) => x + y + Math.random()").length, 3)
  })

  it("shows the function that it refuses, as far as a line allows", () => {
    const messageOf = (source: string) => new FunctionSource.FunctionRefused({ source, reasons: ["late"] }).message
    const long = `() => "${"x".repeat(80)}"`
    assert.include(messageOf("() => 1"), "The function () => 1 may not")
    assert.include(messageOf(long), `The function ${long.slice(0, 60)}… may not`)
    assert.include(messageOf(long.slice(0, 60)), `The function ${long.slice(0, 60)} may not`)
  })

  it("lets a function write names that it may not take", () => {
    const compiled = Result.getOrThrow(FunctionSource.compile("(x) => ({ tree: x, sort: 2 })"))
    assert.deepStrictEqual(compiled(1), { tree: 1, sort: 2 })
    assert.isTrue(Result.isFailure(FunctionSource.compile("({ tree }) => tree")))
  })

  it("lets a function change its own values, and none that other folds share", () => {
    const made = Result.getOrThrow(FunctionSource.compile("(x) => { const o = { a: 1 }; o.b = x; return o }"))
    assert.deepStrictEqual(made(2), { a: 1, b: 2 })
    const shared = Result.getOrThrow(FunctionSource.compile("(x) => { x.b = 2; return x }"))
    for (const value of [Math, () => 1]) assert.throws(() => shared(value), /which other folds share/)
  })

  it("runs compiled functions without the scope that they were written in", () => {
    const source = FunctionSource.of(() => limit).source
    assert.deepStrictEqual(FunctionSource.freeIdentifiers(source), ["limit"])
    assert.isTrue(Result.isFailure(FunctionSource.compile(source)))
  })

  it("lets deterministic built-ins through", () => {
    const source =
      "(rows) => JSON.stringify(Object.keys(rows).map((key) => Math.max(0, Math.round(Number(rows[key])))).concat(Array.from(new Set([1]))))"
    const compiled = Result.getOrThrow(FunctionSource.compile(source))
    assert.strictEqual(compiled({ a: "2.4" }), "[2,1]")
  })
})
