import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Expression } from "../src/index.ts"

/** Whole numbers of any size, most of them near the edges of what is exact. */
const whole = Schema.Union([
  Schema.Int,
  Schema.Literals([
    0,
    1,
    -1,
    2,
    3,
    2 ** 26,
    2 ** 27,
    2 ** 52,
    2 ** 53 - 1,
    1 - 2 ** 53,
    2 ** 53,
    -(2 ** 53),
    2 ** 60,
    1e300
  ])
])

/** Numbers of any kind, and fractions beside whole ones at the edge of what is exact. */
const number = Schema.Union([Schema.Finite, whole, Schema.Literals([0.5, -0.5, 0.25, 1.5, 1e-9])])

describe("Expression of numbers", () => {
  it("divides the same values to the same quotient, in every spelling", () => {
    const written = [
      "7 / 2",
      "-7 / 2",
      "(7 + 0) / 2",
      "size(xs) / 2",
      "x.a / x.b",
      "int('7') / x.b",
      "7 / x.b",
      "x.a / 2"
    ]
    const given = { xs: [1, 2, 3, 4, 5, 6, 7], x: { a: 7, b: 2 } }
    const quotients = written.map((source) => {
      const compiled = Result.getOrThrow(Expression.compile(source, { names: { x: "any", xs: "any" } }))
      return Expression.evaluateUnsafe(compiled, given)
    })
    assert.deepStrictEqual(quotients, [3.5, -3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5])
    const cut = ["int(7 / 2)", "int(-7 / 2)", "6 / 2"].map((source) =>
      Expression.evaluateUnsafe(Result.getOrThrow(Expression.compile(source, { names: {} })), {})
    )
    assert.deepStrictEqual(cut, [3, -3, 3])
  })

  it.prop(
    "calculates whole numbers exactly or not at all",
    [whole, whole, Schema.Literals(["+", "-", "*", "%"])],
    ([a, b, operator]) => {
      const compiled = Result.getOrThrow(Expression.compile(`x.a ${operator} x.b`, { names: { x: "any" } }))
      const evaluated = Expression.evaluate(compiled, { x: { a, b } })
      const areExact = Number.isSafeInteger(a) && Number.isSafeInteger(b)
      const expected = areExact ? exactly(operator, BigInt(a), BigInt(b)) : undefined
      if (expected === undefined || !Number.isSafeInteger(Number(expected))) return Result.isFailure(evaluated)
      return Result.isSuccess(evaluated) && BigInt(evaluated.success as number) === expected
    },
    { arbitrary: { runs: 1000 } }
  )

  it.prop(
    "calculates numbers as JavaScript does, and no whole number that is not exact, whole or not",
    [number, number, Schema.Literals(["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="])],
    ([a, b, operator]) => {
      const compiled = Result.getOrThrow(Expression.compile(`x.a ${operator} x.b`, { names: { x: "any" } }))
      const evaluated = Expression.evaluate(compiled, { x: { a, b } })
      const expected = javascript(operator, a, b)
      if (operator === "/" && b === 0) return Result.isFailure(evaluated)
      if (typeof expected === "number" && [a, b, expected].some(isUnknown)) return Result.isFailure(evaluated)
      return Result.isSuccess(evaluated) && Object.is(plain(evaluated.success), plain(expected))
    },
    { arbitrary: { runs: 1000 } }
  )

  it("refuses a whole number that a fraction has rounded", () => {
    for (const source of ["a + 0.5", "0.5 + a", "a - -0.5", "a * 1.5", "a / 0.5", "b + 0.5"]) {
      const compiled = Result.getOrThrow(Expression.compile(source, { names: { a: "any", b: "any" } }))
      const found = Expression.evaluate(compiled, { a: Number.MAX_SAFE_INTEGER, b: 2 ** 53 })
      assert.include(Result.getOrThrow(Result.flip(found)).message, "too large to be exact", source)
    }
  })

  it.prop(
    "adds one to any number, whole or not",
    [Schema.Finite],
    ([a]) => {
      const compiled = Result.getOrThrow(Expression.compile("state.a + 1", { names: { state: "any" } }))
      const sum = Expression.evaluate(compiled, { state: { a } })
      return isInexact(a) || isInexact(a + 1) ? Result.isFailure(sum) : Result.isSuccess(sum) && sum.success === a + 1
    },
    { arbitrary: { runs: 300 } }
  )
})

const exactly = (operator: string, a: bigint, b: bigint): bigint | undefined => {
  switch (operator) {
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    default:
      return b === 0n ? undefined : a % b
  }
}

const javascript = (operator: string, a: number, b: number): number | boolean => {
  switch (operator) {
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    case "/":
      return a / b
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    case ">=":
      return a >= b
    case "==":
      return a === b
    default:
      return a !== b
  }
}

/** A whole number that another one is written like. */
const isInexact = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)

/** A number that is none, or that another one is written like. */
const isUnknown = (value: number): boolean => !Number.isFinite(value) || isInexact(value)

/** JSON has one zero. */
const plain = (value: unknown) => (value === 0 ? 0 : value)
