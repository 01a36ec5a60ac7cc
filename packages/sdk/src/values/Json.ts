/** JSON, as arguments, answers and facts are. */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** An object of JSON values. A field that is `undefined` is not written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/**
 * The type of a value as it is given, also one of an interface; `never` at the parts that JSON cannot write, such as a
 * function.
 */
export type GivenJson<Value> = Value extends Json | undefined
  ? Value
  : Value extends { readonly toJSON: () => infer Written }
    ? Written extends Json
      ? Value
      : never
    : Value extends bigint | symbol | ((...given: never) => unknown)
      ? never
      : { readonly [Name in keyof Value]: GivenJson<Value[Name]> }
