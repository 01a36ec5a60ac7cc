/**
 * The guards of a compiled function: functions that check at run time what its text cannot show.
 *
 * `rows[name]` may be a field or, for certain names, give access to the compilation of text. `list.map.calls = 1` may
 * change a local list or a function that every fold shares. The depth of the stack, and the result of a sort with an
 * inconsistent comparator, differ between engines. All of this depends on values. So it is checked when it happens,
 * and a refusal fails in the same way everywhere.
 */

import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as TraceLimits from "@backstitch/trace/Limits"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Limits from "../Limits.ts"
import { refusedMembers } from "./syntax.ts"

const { functionStepsMax, openCallsMax, spreadValuesMax } = Limits.deciding

const { levelsMax } = TraceLimits.deciding

/** Error of a guard for access to a value outside of the function's own. */
export class ReachedOut extends Error {
  override readonly name = "ReachedOut"
}

/** Error of a guard for a function that exceeds its limits. It is the same on every machine. */
export class Overran extends Error {
  override readonly name = "Overran"
}

/** Error for a function that reached a limit of this engine. It has no answer, because another engine may have one. */
export class Exhausted extends Error {
  override readonly name = "Exhausted"
}

/** Tells whether an error is that of a guard for access to a value outside of the function's own. */
export const isReachedOut = Branded.guard(ReachedOut, "functions/ReachedOut@1")
/** Tells whether an error is that of a guard for a function that exceeds its limits. */
export const isOverrun = Branded.guard(Overran, "functions/Overran@1")
/** Tells whether an error means that a limit of this engine was reached. */
export const isExhaustion = Branded.guard(Exhausted, "functions/Exhausted@1")

/**
 * Open calls and steps of the present call. Calls are synchronous, and only {@link counted} begins one within
 * another.
 */
let calls = 0
let steps = 0

/** Runs a function with its own counts. Throws {@link Exhausted} if the engine could not continue. */
export const counted = <A>(run: () => A): A => {
  const outer = { calls, steps }
  calls = 0
  steps = 0
  try {
    return run()
  } catch (error) {
    throw isEngineLimit(error) ? new Exhausted("this machine ran out of stack or memory", { cause: error }) : error
  } finally {
    calls = outer.calls
    steps = outer.steps
  }
}

/** Tells whether V8, SpiderMonkey or JavaScriptCore ran out of a resource, by the message of its error. */
const isEngineLimit = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "RangeError" || error.name === "InternalError") &&
  /call stack|recursion|string length|out of memory|allocation/i.test(error.message)

/** Counts a round of a loop. */
export const step = (): void => {
  if (++steps > functionStepsMax) throw new Overran(`it takes more than ${functionStepsMax} steps`)
}

/** Counts the beginning of a call. */
export const enter = (): void => {
  step()
  if (++calls > openCallsMax) throw new Overran(`it has more than ${openCallsMax} calls open within one another`)
}

/** Counts the end of a call, and answers its value. Functions cannot catch errors, so no call ends in another way. */
export const leave = (_entered?: unknown, value?: unknown): unknown => {
  calls--
  return value
}

/** Counts the values that a call is spread over. */
export const spread = (values: Iterable<unknown>): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  for (const value of values) {
    if (found.push(value) > spreadValuesMax)
      throw new Overran(`it spreads more than ${spreadValuesMax} values over one call`)
  }
  return found
}

/** An object whose method is called. Members that some engines lack are only permitted on plain objects. */
export const plain = (value: unknown): unknown => {
  if (value === null || value === undefined || Table.is(value) || List.is(value) || isPlain(value)) return value
  throw new ReachedOut("it uses a member that not every engine has, or sort without calling it")
}

/** A list that is about to be sorted: by a stable merge sort, with the same order of comparisons everywhere. */
export const pinned = (value: unknown): unknown => {
  if (!Array.isArray(value)) return plain(value)
  return {
    sort: (compare?: Compare) => {
      // Written item by item, so that a frozen list throws however short it is.
      if (Object.isFrozen(value)) throw new TypeError("Cannot assign to read only property '0' of a list")
      for (const [index, item] of sorted(value, compare).entries()) value[index] = item
      return value
    },
    toSorted: (compare?: Compare) => sorted(value, compare)
  }
}

type Compare = (left: unknown, right: unknown) => unknown

const sorted = (value: ReadonlyArray<unknown>, compare: Compare | undefined): Array<unknown> => {
  if (compare !== undefined && typeof compare !== "function") throw new TypeError("a comparator has to be a function")
  const items = Array.from(value)
  const present = items.filter((item) => item !== undefined)
  const order = compare ?? ((left, right) => (String(left) < String(right) ? -1 : 1))
  return [...merged(present, order), ...items.filter((item) => item === undefined)]
}

const merged = (items: ReadonlyArray<unknown>, compare: Compare): ReadonlyArray<unknown> => {
  if (items.length < 2) return items
  const middle = items.length >> 1
  const left = merged(items.slice(0, middle), compare)
  const right = merged(items.slice(middle), compare)
  const found: Array<unknown> = []
  let next = 0
  for (const item of left) {
    while (next < right.length && Number(compare(item, right[next])) > 0) found.push(right[next++])
    found.push(item)
  }
  return [...found, ...right.slice(next)]
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const known = new WeakMap<object, unknown>()

/**
 * An argument as in a fold of the stored trace: JSON objects with their keys in canonical order, frozen with all
 * their parts. Tables and lists stay as they are. Prepared objects are remembered.
 */
export const seen = (value: unknown, depth = 0): unknown => {
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value
  const before = known.get(value)
  if (before !== undefined) return before
  if (depth > levelsMax) throw new Overran(`it is given a value of more than ${levelsMax} levels`)
  const found = Array.isArray(value) ? seenItems(value, depth) : isPlain(value) ? seenFields(value, depth) : value
  known.set(value, found)
  known.set(found as object, found)
  return found
}

/**
 * The arguments of one call, by name. They are made for the call, so they are neither frozen nor remembered. Names
 * that were made {@link ready} stay as they are, and so do values added since, such as the row of a table.
 */
export const seenScope = (value: unknown): unknown => {
  if (!isPlain(value)) return seen(value)
  if (ready in value) return value
  let scope: Record<string, unknown> | undefined
  for (const name in value) {
    const found = seen(value[name])
    if (Object.is(found, value[name])) continue
    scope ??= { ...value }
    scope[name] = found
  }
  return scope ?? value
}

/** Marks names that are in order already. A function cannot reach a symbol. */
export const ready = Symbol("ready")

const seenItems = (items: ReadonlyArray<unknown>, depth: number): unknown => {
  let found = items
  for (let index = 0; index < items.length; index++) {
    const item = seen(items[index], depth + 1)
    if (Object.is(item, items[index])) continue
    if (found === items) found = [...items]
    ;(found as Array<unknown>)[index] = item
  }
  return Object.freeze(found)
}

const seenFields = (fields: Readonly<Record<string, unknown>>, depth: number): unknown => {
  let [isOrdered, isSame] = [true, true]
  let previous: string | undefined
  const found = new Map<string, unknown>()
  for (const name of Object.keys(fields)) {
    const field = seen(fields[name], depth + 1)
    if (previous !== undefined && name < previous) isOrdered = false
    if (!Object.is(field, fields[name]) || field === undefined) isSame = false
    if (field !== undefined) found.set(name, field)
    previous = name
  }
  if (isOrdered && isSame) return Object.freeze(fields)
  return Object.freeze(Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1))))
}

/** Keys of internal members, such as `tree` of a table, or of members that would evade a guard by name. */
const hidden = new Set(["sort", "toSorted", "tree"])

/** Checks a computed key: refused if the name itself would be. */
export const key = (value: unknown): unknown => {
  if (typeof value === "number") return value
  const name = String(value)
  if (refusedMembers.test(name) || hidden.has(name)) throw new ReachedOut(`it uses .${name}`)
  return name
}

/** Refuses changes of objects that folds share: functions, built-in objects, tables and lists. */
export const own = (value: unknown): unknown => {
  if (typeof value === "function" || value === json || value === Math || Table.is(value) || List.is(value)) {
    throw new ReachedOut("it changes a function, a built-in object, a table or a list, which other folds share")
  }
  return value
}

/** Refuses a table or a list that a function reads into, because equal tables may have loaded different nodes. */
export const look = (value: unknown): unknown => {
  if (Table.is(value) || List.is(value)) throw new ReachedOut("it looks inside a table or a list")
  return value
}

/** `Object` for functions of a pack: without members that read internals of values or change shared ones. */
const object: unknown = (() => {
  const made = (value: unknown) => Object(value)
  const statics = {
    assign: (target: object, ...sources: ReadonlyArray<object>) =>
      Object.assign(own(target) as object, ...sources.map(look)),
    entries: (value: object) => Object.entries(look(value) as object),
    freeze: (value: unknown) => Object.freeze(own(value)),
    fromEntries: Object.fromEntries,
    hasOwn: (value: object, name: string) => Object.hasOwn(look(value) as object, name),
    is: Object.is,
    keys: (value: object) => Object.keys(look(value) as object),
    values: (value: object) => Object.values(look(value) as object)
  }
  for (const member of Object.values(statics)) Object.freeze(member)
  Object.defineProperty(made, Symbol.hasInstance, { value: (value: unknown) => value instanceof Object })
  return Object.freeze(Object.assign(made, statics))
})()

/** `JSON` for functions of a pack: without source texts, which some engines lack, and with limited depth. */
const json = Object.freeze({
  parse: Object.freeze((text: unknown, revive?: (key: string, value: unknown) => unknown) => {
    const value: unknown = Canonical.parse(String(text))
    return revive === undefined ? value : JsonText.revived(value, revive)
  }),
  stringify: Object.freeze((value: unknown, replacer?: unknown, space?: unknown) => {
    const shown = shownIn(value, 0)
    return JSON.stringify(shown, replacer as null, space as number)
  })
})

/** Searches a value for tables and lists, because equal ones may have loaded different nodes. */
const shownIn = (value: unknown, depth: number): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (depth > levelsMax) throw new Overran(`it writes a value of more than ${levelsMax} levels`)
  look(value)
  for (const part of Object.values(value)) shownIn(part, depth + 1)
  return value
}

/** Built-in objects of which a function sees another form. */
export const facades = { JSON: json, Object: object }

/** The guards, by the names in the text. */
export const guards = { enter, key, leave, look, own, pinned, plain, spread, step }
