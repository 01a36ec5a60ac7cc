/**
 * JSON values as Python prints them.
 *
 * Recordings of Python programs contain two kinds of its texts: those of `json.dumps`, in the outputs of tools, and
 * those of `repr` for nested tuples, in the hash that tau-bench computes of a database. A comparison byte for byte
 * needs the same output as Python's.
 *
 * **Gotchas**
 *
 * A whole number is printed as an integer: JSON does not distinguish `123` from Python's `123.0`.
 *
 * @source Python, `json.dumps` and `repr`
 */
import type { Json } from "@backstitch/trace/Canonical"

/**
 * Writes a value as `json.dumps` does by default: a space after `,` and `:`, ASCII only, keys in their order.
 *
 * **Example** (Printing a tool's answer)
 *
 * ```ts import.meta.vitest
 * import { PythonText } from "@backstitch/importers"
 *
 * PythonText.dumps({ city: "Zürich", seats: [1, null] }) // => '{"city": "Z\\u00fcrich", "seats": [1, null]}'
 * ```
 */
export const dumps = (value: Json): string => {
  if (typeof value === "string") return asciiString(value)
  if (typeof value === "number") return number(value)
  if (value === null || typeof value === "boolean") return String(value)
  if (isList(value)) return `[${value.map(dumps).join(", ")}]`
  const fields = Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [`${asciiString(key)}: ${dumps(field)}`]
  )
  return `{${fields.join(", ")}}`
}

/**
 * Writes a value as `repr` does, after every object was turned into a tuple of pairs by sorted key, and every list
 * into a tuple.
 *
 * **Example** (Printing a row)
 *
 * ```ts import.meta.vitest
 * import { PythonText } from "@backstitch/importers"
 *
 * PythonText.repr({ b: ["x"], a: true }) // => "(('a', True), ('b', ('x',)))"
 * ```
 */
export const repr = (value: Json): string => {
  if (typeof value === "string") return quoted(value)
  if (typeof value === "number") return number(value)
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (isList(value)) return tuple(value.map(repr))
  const fields: Array<readonly [string, string]> = []
  for (const [key, field] of Object.entries(value)) if (field !== undefined) fields.push([key, repr(field)])
  return pairs(fields)
}

/**
 * Writes pairs of a key and a printed value as a tuple by sorted key.
 *
 * **When to use** for a large object whose rows are printed and remembered one by one.
 */
export const pairs = (fields: ReadonlyArray<readonly [key: string, printed: string]>): string =>
  tuple([...fields].sort(byCodePoint).map(([key, printed]) => `(${quoted(key)}, ${printed})`))

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const tuple = (items: ReadonlyArray<string>): string =>
  items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`

/** Python sorts by code point, JavaScript by UTF-16 unit. They differ only beyond the basic plane. */
const byCodePoint = ([left]: readonly [string, string], [right]: readonly [string, string]): number => {
  const end = Math.min(left.length, right.length)
  for (let index = 0; index < end; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (one !== other) return rank(one) - rank(other)
  }
  return left.length - right.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

const number = (value: number): string => {
  if (Object.is(value, -0)) return "0"
  const magnitude = Math.abs(value)
  if (Number.isInteger(value)) return BigInt(value).toString()
  const text = String(value)
  // Python uses exponents below 1e-4, JavaScript below 1e-6; both write the shortest digits.
  if (magnitude >= 1e-4) return text
  const [digits, exponent] = value.toExponential().split("e-") as [string, string]
  return `${digits}e-${exponent.padStart(2, "0")}`
}

const asciiString = (value: string): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) =>
    unit === "\u007f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const quoted = (value: string): string => {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  let text = ""
  for (const point of value) {
    text += point === quote ? `\\${quote}` : (escapes[point] ?? (printable(point) ? point : escaped(point)))
  }
  return `${quote}${text}${quote}`
}

/**
 * Python does not escape characters that it calls printable: no control, format, surrogate, private or separator
 * characters.
 */
const printable = (point: string): boolean => point === " " || !/[\p{C}\p{Z}]/u.test(point)

const escaped = (point: string): string => {
  const code = point.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`
}
