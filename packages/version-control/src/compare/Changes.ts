/**
 * Finds the fields that differ between two states, down to the value, each under its JSON pointer.
 *
 * Tables and lists skip their shared parts, so the cost grows with the difference and not with the state.
 *
 * Laws: a state does not differ from itself; swapping the sides only swaps `before` and `after` of each change.
 */
import type { Section, State, StateField } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as JsonPointer from "effect/JsonPointer"

/** A value that differs. On an absent side, there is no value. */
export interface Change {
  readonly path: string
  readonly before?: Canonical.Json
  readonly after?: Canonical.Json
}

/** Compares the `world` and `working` sections of two states. */
export function* between(before: State, after: State): Generator<Change> {
  yield* betweenSections("/world", before.world, after.world)
  yield* betweenSections("/working", before.working, after.working)
}

/** Compares two JSON values; objects by key and arrays by position. */
export function* betweenJson(
  path: string,
  before: Canonical.Json | undefined,
  after: Canonical.Json | undefined
): Generator<Change> {
  if (before === after) return
  if (before === undefined) yield { path, after: after! }
  else if (after === undefined) yield { path, before }
  else if (isArray(before) && isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      yield* betweenJson(`${path}/${index}`, before[index], after[index])
    }
  } else if (Canonical.isObject(before) && Canonical.isObject(after)) {
    for (const key of union(before, after)) yield* betweenJson(child(path, key), own(before, key), own(after, key))
  } else if (!Canonical.equals(before, after)) yield { path, before, after }
}

/** The fields of `world` and `working` that differ, as `world.name` or `working.name`, without their parts. */
export const fields = (before: State, after: State): ReadonlyArray<string> => {
  if (before === after) return []
  const changed = (name: "world" | "working") =>
    before[name] === after[name]
      ? []
      : [...union(before[name], after[name])]
          .filter((field) => !isSame(own(before[name], field), own(after[name], field)))
          .map((field) => `${name}.${field}`)
  return [...changed("world"), ...changed("working")]
}

function* betweenSections(path: string, before: Section, after: Section): Generator<Change> {
  if (before === after) return
  for (const name of union(before, after)) {
    yield* betweenFields(child(path, name), own(before, name), own(after, name))
  }
}

function* betweenFields(
  path: string,
  before: StateField | undefined,
  after: StateField | undefined
): Generator<Change> {
  if (before === after) return
  // An absent field differs from an empty one, in which no row or item does.
  if ((before === undefined && isEmpty(after)) || (after === undefined && isEmpty(before))) {
    yield* betweenJson(path, toJson(before), toJson(after))
  } else if (Table.is(before ?? Table.empty) && Table.is(after ?? Table.empty)) {
    const sides = [(before ?? Table.empty) as Table.Table, (after ?? Table.empty) as Table.Table] as const
    const rows = [...Table.changes(...sides)].sort((left, right) => (left.key < right.key ? -1 : 1))
    for (const row of rows) yield* betweenJson(child(path, row.key), row.before, row.after)
  } else if (List.is(before ?? List.empty) && List.is(after ?? List.empty)) {
    const sides = [(before ?? List.empty) as List.List, (after ?? List.empty) as List.List] as const
    for (const item of List.changes(...sides)) yield* betweenJson(`${path}/${item.index}`, item.before, item.after)
  } else yield* betweenJson(path, toJson(before), toJson(after))
}

const isSame = (before: StateField | undefined, after: StateField | undefined): boolean => {
  if (before === after) return true
  if (before === undefined || after === undefined) return false
  if (Table.is(before)) return Table.is(after) && Table.changes(before, after).next().done === true
  if (List.is(before)) return List.is(after) && List.changes(before, after).next().done === true
  return !Table.is(after) && !List.is(after) && Canonical.equals(before, after)
}

const isEmpty = (field: StateField | undefined): boolean =>
  Table.is(field) ? field.size === 0 : List.is(field) && field.length === 0

const toJson = (field: StateField | undefined): Canonical.Json | undefined =>
  Table.is(field) || List.is(field) ? field.toJson() : field

const child = (path: string, key: string): string => `${path}/${JsonPointer.escapeToken(key)}`

const union = (left: object, right: object): ReadonlyArray<string> =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()

/** The value under a key, which may be `constructor` or another name that every object inherits. */
const own = <A>(value: { readonly [key: string]: A }, key: string): A | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined

const isArray = (value: Canonical.Json): value is ReadonlyArray<Canonical.Json> => Array.isArray(value)
