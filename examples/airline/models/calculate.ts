/** Evaluates arithmetic as Python does, in floating point, and prints the result rounded to two digits. */
import type { Answer, Call } from "../World.ts"

export default ({ args }: Call<{ readonly expression: string }>): Answer => {
  const { expression } = args
  if (/[^0-9+\-*/(). ]/.test(expression)) return { output: "Error: invalid characters in expression" }
  const tokens = expression.match(/\d+\.?\d*|\.\d+|\*\*|\/\/|[-+*/().]/g) ?? []
  const failure = { text: "" }
  let at = 0

  const fail = (text: string): number => {
    if (failure.text === "") failure.text = text
    return 0
  }
  const atom = (): number => {
    const token = tokens[at++]
    if (token === "(") {
      const value = sum()
      return tokens[at++] === ")" ? value : fail("invalid syntax (<string>, line 1)")
    }
    return token !== undefined && /\d/.test(token) ? Number(token) : fail("invalid syntax (<string>, line 1)")
  }
  const power = (): number => {
    const base = atom()
    if (tokens[at] !== "**") return base
    at++
    const exponent = unary()
    if (!Number.isInteger(exponent)) return fail("only whole powers are predicted")
    let value = 1
    for (let step = 0; step < Math.min(1000, Math.abs(exponent)); step++) value *= base
    return exponent < 0 ? 1 / value : value
  }
  const unary = (): number => {
    const sign = tokens[at]
    if (sign !== "-" && sign !== "+") return power()
    at++
    return sign === "-" ? -unary() : unary()
  }
  const product = (): number => {
    let value = unary()
    for (let sign = tokens[at]; sign === "*" || sign === "/" || sign === "//"; sign = tokens[at]) {
      at++
      const right = unary()
      if (sign === "*") value *= right
      else if (right === 0) value = fail("division by zero")
      else value = sign === "/" ? value / right : Math.floor(value / right)
    }
    return value
  }
  const sum = (): number => {
    let value = product()
    for (let sign = tokens[at]; sign === "+" || sign === "-"; sign = tokens[at]) {
      at++
      value = sign === "+" ? value + product() : value - product()
    }
    return value
  }

  const value = sum()
  if (at < tokens.length) fail("invalid syntax (<string>, line 1)")
  if (failure.text !== "") return { output: `Error: ${failure.text}` }
  // Python rounds a tie to the even digit. In binary, only eighths can be a tie at two digits.
  const tie = Number.isInteger(value * 8) && !Number.isInteger(value * 4)
  const cents = Math.trunc(value * 100)
  const rounded = tie ? (cents % 2 === 0 ? cents : cents + Math.sign(value)) / 100 : Number(value.toFixed(2))
  if (rounded === 0) return { output: value < 0 ? "-0.0" : "0.0" }
  if (Math.abs(rounded) >= 1e16) return { output: rounded.toExponential() }
  return { output: Number.isInteger(rounded) ? `${rounded}.0` : `${rounded}` }
}
