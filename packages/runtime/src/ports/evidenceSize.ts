/** Limits the answers of the world to sizes that a trace should keep. */
import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import { Unrecordable } from "./traceJson.ts"

/** The maximum of characters and values of an answer, together. */
const sizeMax = 1_048_576

/** The number of characters of a reason that are kept. */
const reasonMax = 2000

/** Answers the value if a trace can keep it. Throws {@link Unrecordable}. */
export const withinSize = (answer: Json): Json => {
  if (room(answer, sizeMax) < 0) {
    throw new Unrecordable({ finding: Finding.make("answer.too_large", { charactersMax: sizeMax }) })
  }
  return answer
}

/** The detail of a refusal. A detail that is too large is left out; the refusal stays. */
export const detailWithinSize = (detail: Json): Json =>
  room(detail, sizeMax) < 0 ? Finding.make("refusal.too_large", { charactersMax: sizeMax }) : detail

/** A reason as text, shortened. */
export const shortened = (reason: string): string =>
  reason.length > reasonMax ? `${reason.slice(0, reasonMax).toWellFormed()}…` : reason

/** Subtracts the size of a value from the remaining room, and stops once that is negative. */
const room = (value: Json, left: number): number => {
  if (typeof value === "string") return left - value.length
  if (typeof value !== "object" || value === null) return left - 1
  let rest = left - 1
  if (Array.isArray(value)) {
    for (const item of value as ReadonlyArray<Json>) {
      rest = room(item, rest)
      if (rest < 0) return rest
    }
    return rest
  }
  for (const [name, item] of Object.entries(value)) {
    rest = room((item ?? null) as Json, rest - name.length)
    if (rest < 0) return rest
  }
  return rest
}
