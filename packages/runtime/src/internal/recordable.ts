/**
 * Makes what user code hands over fit for a trace.
 *
 * JavaScript has values that JSON cannot carry. Fields that are `undefined`
 * are left out, numbers that are none become null, and half a character
 * becomes U+FFFD. What is no data at all, such as a cycle, throws.
 *
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"

/** How deep a recorded value nests at most: what is deeper would end at the limit of somebody's stack. */
export const depthMax = 100

/** The value as JSON carries it. Throws an error that says what stands in the way. */
export const recordable = (value: unknown): Json => plain(JSON.parse(JSON.stringify(value) ?? "null"), 0)

const plain = (value: Json, depth: number): Json => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) throw new RangeError(`it nests more than ${depthMax} levels deep`)
  if (Array.isArray(value)) return value.map((item: Json) => plain(item, depth + 1))
  // `__proto__` is a field of the copy like any other, and to assign it would lose it.
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), plain(field as Json, depth + 1)])
  )
}
