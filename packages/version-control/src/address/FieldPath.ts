/**
 * The path of a value in a state: a section, a field, and keys within it.
 *
 * A path is written in the form that people type, `world.spent`, or as a JSON pointer, `/world/bookings/LX1/price`, if
 * a key contains dots. It may lead to a whole field, a row of a table, an item of a list or a value within. An item is
 * named by its index as JSON writes it: `1`, and not `01`.
 *
 * @source RFC 6901
 */
import * as State from "@backstitch/reducer/State"
import type * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A place in a state: section, field, and keys within. */
export interface FieldPath {
  readonly section: "world" | "working" | "kernel"
  readonly field: string
  readonly keys: ReadonlyArray<string>
}

/** Error for text that names no field of a state. */
export class FieldInvalid extends Schema.TaggedError<FieldInvalid>("@backstitch/version-control/FieldInvalid")(
  "FieldInvalid",
  { text: Schema.String }
) {
  override get message(): string {
    return (
      `"${this.text}" names no field. Write world.NAME or working.NAME, with keys after it as in world.orders.milk.price, ` +
      "or a JSON pointer as in /world/orders/milk/price"
    )
  }
}

/**
 * Reads the path of a value.
 *
 * **Example** (A value in a row of a table)
 *
 * ```ts import.meta.vitest
 * import { FieldPath } from "@backstitch/version-control"
 * import { Result } from "effect"
 *
 * const path = Result.getOrThrow(FieldPath.parse("world.orders.milk.price"))
 * path.field // => "orders"
 * FieldPath.pointer(path) // => "/world/orders/milk/price"
 * ```
 */
export const parse = (text: string): Result.Result<FieldPath, FieldInvalid> => {
  const tokens = text.startsWith("/")
    ? text
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    : text.split(".")
  const [section, field, ...keys] = tokens
  if ((section !== "world" && section !== "working" && section !== "kernel") || field === undefined || field === "") {
    return Result.fail(new FieldInvalid({ text }))
  }
  return Result.succeed({ section, field, keys })
}

/** Writes a path as a JSON pointer. */
export const pointer = ({ field, keys, section }: FieldPath): string =>
  ["", section, field, ...keys].map((token) => token.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")

/** The value at a path of a state; `undefined` if there is none. */
export const valueAt = (state: State.State, { field, keys, section }: FieldPath): Canonical.Json | undefined => {
  const found = Object.hasOwn(state[section], field) ? state[section][field] : undefined
  return found === undefined ? undefined : valueWithin(found, keys)
}

/** The value under keys of a field; `undefined` if there is none. */
export const valueWithin = (
  field: State.StateField,
  [key, ...rest]: ReadonlyArray<string>
): Canonical.Json | undefined => {
  if (key === undefined) return State.fieldToJson(field)
  const first = Table.is(field) ? field.get(key) : List.is(field) ? itemOf(field, key) : childOf(field, key)
  return rest.reduce<Canonical.Json | undefined>(childOf, first)
}

const isIndex = (key: string): boolean => /^(?:0|[1-9][0-9]{0,14})$/.test(key)

const itemOf = (list: List.List, key: string): Canonical.Json | undefined =>
  isIndex(key) ? list.get(Number(key)) : undefined

const childOf = (value: Canonical.Json | undefined, key: string): Canonical.Json | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) return isIndex(key) ? value[Number(key)] : undefined
  return Object.hasOwn(value, key) ? (value as Canonical.JsonObject)[key] : undefined
}
