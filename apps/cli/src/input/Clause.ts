/** Values of clauses as they are typed: `max_total=600`. */

import type * as Specification from "@backstitch/contracts/Specification"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Usage } from "../terminal/Failure.ts"

/**
 * Reads `NAME=VALUE`. A JSON value is read as such, any other value as text. With the pack, digits are text for a
 * clause of a text type.
 */
export const parse = Effect.fnUntraced(function* (
  pairs: ReadonlyArray<string>,
  specification: Specification.Specification = {}
) {
  const clauses: Array<readonly [string, Json]> = []
  for (const pair of pairs) {
    const at = pair.indexOf("=")
    if (at < 1) return yield* new Usage({ problem: `A clause is written NAME=VALUE, and "${pair}" is not` })
    const name = pair.slice(0, at)
    const declared = Object.hasOwn(specification, name) ? specification[name]?.value?.type : undefined
    clauses.push([name, valueOf(pair.slice(at + 1), declared)])
  }
  return Object.fromEntries(clauses) satisfies JsonObject
})

/** Types whose values are text, or exact only as text. */
const textual: ReadonlySet<string | undefined> = new Set(["string", "enum", "decimal"])

const valueOf = (text: string, declared: string | undefined): Json => {
  const read = Result.try(() => JsonText.read(text) as Json)
  if (Result.isFailure(read)) return text
  const isDigits = typeof read.success === "number" && (textual.has(declared) || !Number.isFinite(read.success))
  return isDigits ? text : read.success
}
