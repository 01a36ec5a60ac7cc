/** Tells apart the two containers of a state, canonical tables and lists, and plain objects of fields. */
import type { Json } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"

/** Tells whether a value is a canonical table. */
export const isTable = (value: unknown): value is Table.Table<Json> => Table.is(value)

/** Tells whether a value is a canonical list. */
export const isList = (value: unknown): value is List.List<Json> => List.is(value)

/** Tells whether a value is an object of fields: neither an array nor an instance of a class. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
