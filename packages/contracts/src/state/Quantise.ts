/**
 * Rounding on entry: half to even, on the shortest decimal that reads back as the number.
 *
 * A value is rounded once, before it is committed, so that state, digest and decision all use the same number and no
 * digest depends on the pack that made it. `Math.round(1.005 * 100) / 100` is 1 because of binary floats. Here 1.005
 * is the decimal that a person reads, and a tie goes to the even neighbour.
 */

import * as Decimal from "@backstitch/expressions/Decimal"
import type * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"

/**
 * Rounds a number to a number of digits after the point.
 *
 * **Example** (Rounding what is printed)
 *
 * ```ts import.meta.vitest
 * import { Quantise } from "@backstitch/contracts"
 *
 * [Quantise.number(1.005, 2), Quantise.number(2.675, 2), Quantise.number(0.125, 2)] // => [1, 2.68, 0.12]
 * ```
 */
export const number = (value: number, precision: number): number => {
  if (Number.isInteger(value) && precision >= 0) return value === 0 ? 0 : value
  const decimal = Decimal.from(value)
  if (decimal === undefined) return value
  const rounded = Decimal.toNumber(Decimal.round(decimal, precision))
  return rounded === 0 ? 0 : rounded
}

/** Rounds to a decimal string with exactly that many digits; `undefined` if the value is no number. */
export const decimalString = (value: number | string, precision: number): string | undefined => {
  const decimal = Decimal.from(value)
  return decimal === undefined ? undefined : Decimal.format(Decimal.round(decimal, precision))
}

/**
 * Rounds every number for which a field declares a precision. Every other value stays the same.
 *
 * **When to use** on values before they are committed: arguments, results, rows, state fields. It does not check;
 * `Field.check` does.
 */
export const value = (field: Field.Field, json: Json): Json => {
  if (json === null) return null
  switch (field.type) {
    case "float":
      return typeof json === "number" && field.precision !== undefined ? number(json, field.precision) : json
    case "decimal":
      return typeof json === "number" || typeof json === "string"
        ? (decimalString(json, field.precision) ?? json)
        : json
    case "object":
      return Canonical.isObject(json) ? record(field.fields, json) : json
    case "table": {
      if (!Canonical.isObject(json)) return json
      const rows: Record<string, Json> = {}
      for (const key of Object.keys(json)) rows[key] = value(field.row, json[key] as Json)
      return rows
    }
    case "list":
      return Array.isArray(json) ? json.map((item: Json) => value(field.item, item)) : json
    default:
      return json
  }
}

const record = (fields: Readonly<Record<string, Field.Field>>, json: { readonly [key: string]: Json | undefined }) => {
  const rounded: Record<string, Json> = {}
  for (const key of Object.keys(json)) {
    const item = json[key]
    if (item === undefined) continue
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    rounded[key] = field === undefined ? item : value(field, item)
  }
  return rounded
}
