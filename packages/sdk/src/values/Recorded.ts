/** Types of values as they come back from the record. */
import type { Json } from "./Json.ts"

/**
 * A value as the record gives it back: a `Date` is its text, and a function is gone. It is so from the first call on,
 * since an answer is handed on as it was recorded.
 */
export type Recorded<Value> = unknown extends Value
  ? Value
  : Value extends Json | undefined
    ? Value
    : Value extends { readonly toJSON: () => infer Written }
      ? Recorded<Written>
      : Value extends bigint | symbol | ((...given: never) => unknown)
        ? undefined
        : { [Name in keyof Value]: Recorded<Value[Name]> }
