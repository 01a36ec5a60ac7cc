/**
 * Makes a record that meets a contract's expectations, for a tool without recorded results.
 *
 * Clauses of the expressions are read one by one: a comparison with a field of the record gives a possible value of
 * that field. Each candidate is checked against all expectations, like a readback. So a clause that is not understood
 * may lead to no record, but never to a wrong one.
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as Expression from "@backstitch/expressions/Expression"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"

/** A value for a field of the record, with the path of the field. */
interface Wish {
  readonly path: ReadonlyArray<string>
  readonly value: Json
}

/** A record that meets all conditions, based on one of the given records; `undefined` if none is found. */
export const synthesise = (
  conditions: ReadonlyArray<Condition.Condition>,
  scope: Expression.Bindings,
  begun: ReadonlyArray<Json>
): Json | undefined => {
  const isMet = (record: Json, condition: Condition.Condition): boolean => meets([condition], scope, record)
  for (const first of [...begun, null]) {
    const record = conditions.reduce((record, condition) => {
      if (isMet(record, condition)) return record
      return attempts(wishesOf(condition, scope), record).find((each) => isMet(each, condition)) ?? record
    }, first)
    if (meets(conditions, scope, record)) return record
  }
  return undefined
}

/** Tells whether a record meets all conditions. A condition that cannot be evaluated is not met. */
export const meets = (
  conditions: ReadonlyArray<Condition.Condition>,
  scope: Expression.Bindings,
  record: Json
): boolean =>
  conditions.every((condition) => {
    const held = Condition.holds(condition, { ...scope, actual: record })
    return Result.isSuccess(held) && held.success
  })

/** Tries each wish alone, each two, and all of them: alternatives hold one at a time, and conjuncts all at once. */
const attempts = (wishes: ReadonlyArray<Wish>, record: Json): ReadonlyArray<Json> => {
  const pairs = wishes.flatMap((one, index) => wishes.slice(index + 1).map((other) => [one, other]))
  return [...wishes.map((wish) => [wish]), ...pairs, wishes].map((each) => each.reduce(granted, record))
}

const granted = (record: Json, { path, value }: Wish): Json => {
  const [name, ...rest] = path
  if (name === undefined) return value
  const held = Canonical.isObject(record) ? record : {}
  return { ...held, [name]: granted(held[name] ?? null, { path: rest, value }) }
}

const wishesOf = (condition: Condition.Condition, scope: Expression.Bindings): ReadonlyArray<Wish> =>
  condition._tag === "Function" ? [] : clausesOf(condition.expression.source).flatMap((clause) => wishOf(clause, scope))

const field = /^actual((?:\.\w+)+)$/
const comparison = /^(.+?)\s*(==|!=|<=|>=|<|>|\bin\b)\s*(.+)$/s
const method = /^actual((?:\.\w+)+?)\.(?:contains|endsWith|startsWith)\((.+)\)$/s

const wishOf = (clause: string, scope: Expression.Bindings): ReadonlyArray<Wish> => {
  const isDenied = clause.startsWith("!")
  const bare = isDenied ? clause.slice(1).trim() : clause
  const [, present] = /^has\(actual((?:\.\w+)+)\)$/.exec(bare) ?? []
  if (present !== undefined && !isDenied) return [{ path: pathOf(present), value: "present" }]
  const [, flag] = field.exec(bare) ?? []
  if (flag !== undefined) return [{ path: pathOf(flag), value: !isDenied }]
  const [, text, part] = method.exec(bare) ?? []
  if (text !== undefined && part !== undefined)
    return valued(part, scope).map((value) => ({ path: pathOf(text), value }))
  const [, left = "", operator = "", right = ""] = comparison.exec(bare) ?? []
  const [path, other, word] = field.test(left) ? [left, right, operator] : [right, left, mirrored[operator] ?? operator]
  const [, named] = field.exec(path) ?? []
  if (named === undefined) return []
  return valued(other, scope).flatMap((value) =>
    satisfying(word, value).map((each) => ({ path: pathOf(named), value: each }))
  )
}

const mirrored: { readonly [operator: string]: string } = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" }

const pathOf = (dotted: string): ReadonlyArray<string> => dotted.slice(1).split(".")

/** Values for which a comparison with another value holds. */
const satisfying = (operator: string, value: Json): ReadonlyArray<Json> => {
  switch (operator) {
    case "==":
    case "<=":
    case ">=":
      return [value]
    case "<":
      return typeof value === "number" ? [value - 1] : []
    case ">":
      return typeof value === "number" ? [value + 1] : []
    case "in":
      return Array.isArray(value) ? value : []
    case "!=":
      return value === null ? ["present", 1, true] : typeof value === "number" ? [value + 1] : [`not ${String(value)}`]
    default:
      return []
  }
}

/** Evaluates an operand without the record. */
const valued = (source: string, scope: Expression.Bindings): ReadonlyArray<Json> => {
  const names = Object.fromEntries(Object.keys(scope).map((name) => [name, "any" as const]))
  const compiled = Expression.compile(source, { names })
  if (Result.isFailure(compiled)) return []
  const value = Expression.evaluate(compiled.success, scope)
  return Result.isSuccess(value) ? [value.success as Json] : []
}

/** The clauses of an expression, without parentheses, conjunctions and disjunctions around them. */
const clausesOf = (source: string): ReadonlyArray<string> => {
  const clauses: Array<string> = []
  let [depth, from, quote] = [0, 0, ""]
  const cut = (to: number) => clauses.push(source.slice(from, to).trim())
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]!
    if (quote !== "") {
      if (sign === "\\") at++
      else if (sign === quote) quote = ""
    } else if (sign === "'" || sign === '"') quote = sign
    else if ("([{".includes(sign)) depth++
    else if (")]}".includes(sign)) depth--
    else if (depth === 0 && (source.startsWith("&&", at) || source.startsWith("||", at))) {
      cut(at)
      at++
      from = at + 1
    }
  }
  cut(source.length)
  if (clauses.length > 1) return clauses.flatMap(clausesOf)
  const [only = ""] = clauses
  return isWrapped(only) ? clausesOf(only.slice(1, -1)) : [only]
}

/** Tells whether one pair of parentheses encloses all of it. */
const isWrapped = (clause: string): boolean => {
  if (!clause.startsWith("(") || !clause.endsWith(")")) return false
  let depth = 0
  for (let at = 0; at < clause.length - 1; at++) {
    if (clause[at] === "(") depth++
    if (clause[at] === ")") depth--
    if (depth === 0) return false
  }
  return true
}

/** A recorded answer for other arguments: values that repeat a recorded argument are replaced by the present one. */
export const withArguments = (json: Json, from: JsonObject, to: JsonObject): Json => {
  if (!Canonical.isObject(json)) return json
  const replaced = (value: Json): Json => {
    const name = Object.keys(from).find((each) => Canonical.encode(from[each] ?? null) === Canonical.encode(value))
    return name === undefined || typeof value === "boolean" ? value : (to[name] ?? value)
  }
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, replaced(value ?? null)]))
}
