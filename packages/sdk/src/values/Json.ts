/** JSON, as arguments, answers and facts are. */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** An object of JSON values. A field that is `undefined` is not written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}
