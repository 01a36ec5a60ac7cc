/**
 * Values of clauses as they are typed: `max_total=600`.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"

/**
 * Reads `NAME=VALUE`, where a value that is JSON is that, and any other is text.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = Effect.fnUntraced(function* (pairs: ReadonlyArray<string>) {
  const clauses: { [name: string]: Json } = {}
  for (const pair of pairs) {
    const at = pair.indexOf("=")
    if (at < 1) return yield* new Usage({ problem: `A clause is written NAME=VALUE, and "${pair}" is not` })
    clauses[pair.slice(0, at)] = valueOf(pair.slice(at + 1))
  }
  return clauses satisfies JsonObject
})

const valueOf = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
