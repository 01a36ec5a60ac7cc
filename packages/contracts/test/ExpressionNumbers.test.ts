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

describe("Expression of numbers", () => {
  it("divides the same values to the same quotient, whoever wrote them", () => {
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
    "calculates numbers as JavaScript does, whole or not",
    [Schema.Finite, Schema.Finite, Schema.Literals(["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="])],
    ([a, b, operator]) => {
      const compiled = Result.getOrThrow(Expression.compile(`x.a ${operator} x.b`, { names: { x: "any" } }))
      const evaluated = Expression.evaluate(compiled, { x: { a, b } })
      const expected = javascript(operator, a, b)
      const isWhole = typeof expected === "number" && Number.isInteger(a) && Number.isInteger(b)
      if (isWhole && [a, b, expected].some(isInexact)) return Result.isFailure(evaluated)
      if (typeof expected === "number" && !Number.isFinite(expected)) return Result.isFailure(evaluated)
      return Result.isSuccess(evaluated) && Object.is(plain(evaluated.success), plain(expected))
    },
    { arbitrary: { runs: 500 } }
  )

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

/** JSON has one zero. */
const plain = (value: unknown) => (value === 0 ? 0 : value)
