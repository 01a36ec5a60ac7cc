/**
 * The headers of writes.
 *
 * **Details**
 *
 * `Idempotency-Key` makes a write safe to repeat: a repeated one is answered as the first was, and nothing is done
 * twice. The key belongs to one tenant and one request, so with another request it is refused. `If-Match` is the tick
 * of the run for which the write was made, as the `ETag` of the run has it. At any other tick nothing is written, even
 * if another process commits meanwhile.
 */
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** The header of a write that is about no run. */
export const named = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(Limits.refusing.nameCharactersMax))
  )
} as const

/** The headers of a write to a run. */
export const headers = {
  ...named,
  "if-match": Schema.optionalKey(Schema.String.check(Schema.isPattern(/^"\d{1,10}"$/)))
} as const

/** Writes a tick as an `ETag`. */
export const etag = (tick: number): string => `"${tick}"`

/** Reads the tick of an `If-Match`. */
export const tickOf = (etag: string): number => Number(etag.slice(1, -1))
