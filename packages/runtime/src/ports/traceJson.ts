/**
 * Makes what user code hands over fit for a trace.
 *
 * JavaScript has values that JSON cannot carry. Fields that are `undefined`
 * are left out, numbers that are none become null, and half a character
 * becomes U+FFFD. What is no data at all, such as a cycle, throws.
 */

import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import * as TraceFinding from "@backstitch/trace/Finding"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Wording from "@backstitch/wording/Wording"
import * as Schema from "effect/Schema"

/** The deepest nesting of a recorded value: a deeper one would overflow the stack of some reader. */
const depthMax = 100

/** A value that no trace carries, and why. `said` is what an engine, or the code of somebody, says of it. */
export class Unrecordable extends Schema.TaggedError<Unrecordable>("@backstitch/runtime/Unrecordable")("Unrecordable", {
  finding: TraceFinding.Finding,
  said: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.said ?? Wording.of(this.finding).what
  }
}

/** The value as JSON carries it. Throws {@link Unrecordable}. */
export const toTraceJson = (value: unknown): Json => copied(value, 0) ?? plain(carried(value), 0)

const carried = (value: unknown): Json => {
  try {
    return JsonText.carried(value) as Json
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new Unrecordable({ finding: Finding.make("value.not_json", {}), said })
  }
}

/** A copy of what is JSON as it stands, which most of it is; `undefined` where something has to be converted. */
const copied = (value: unknown, depth: number): Json | undefined => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : undefined
    case "number":
      // JSON knows no negative zero.
      return Number.isFinite(value) ? value + 0 : undefined
    case "boolean":
      return value
    case "object":
      if (value === null) return null
      if (depth >= depthMax || "toJSON" in value) return undefined
      return Array.isArray(value) ? copiedArray(value, depth) : copiedObject(value, depth)
    default:
      return undefined
  }
}

const copiedArray = (value: ReadonlyArray<unknown>, depth: number): Json | undefined => {
  const copy: Array<Json> = []
  for (let index = 0; index < value.length; index++) {
    const item = copied(value[index], depth + 1)
    if (item === undefined) return undefined
    copy.push(item)
  }
  return copy
}

const copiedObject = (value: object, depth: number): Json | undefined => {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copy: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const field = (value as { readonly [name: string]: unknown })[name]
    if (field === undefined) continue
    const item = copied(field, depth + 1)
    if (item === undefined || name === "__proto__" || !name.isWellFormed()) return undefined
    copy[name] = item
  }
  return copy
}

const plain = (value: Json, depth: number): Json => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) throw new Unrecordable({ finding: Finding.make("value.too_deep", { levelsMax: depthMax }) })
  if (Array.isArray(value)) return value.map((item: Json) => plain(item, depth + 1))
  // `__proto__` is a field of the copy like any other, and to assign it would lose it.
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), plain(field as Json, depth + 1)])
  )
}
