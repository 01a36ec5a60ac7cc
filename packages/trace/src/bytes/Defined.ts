/**
 * The fields of an object that are defined. A field of JSON has a value or is absent, and is never `undefined`.
 *
 * **Example** (Optional fields of a payload)
 *
 * ```ts import.meta.vitest
 * import { Defined } from "@backstitch/trace"
 *
 * const payload = (by?: string) => ({ reason: "late", ...Defined.defined({ by }) })
 *
 * Object.keys(payload()) // => ["reason"]
 * Object.keys(payload("anna")) // => ["reason", "by"]
 * ```
 */

/** The fields that are defined: one that may be `undefined` may be absent instead. */
export type Defined<Fields> = {
  readonly [K in keyof Fields as undefined extends Fields[K] ? never : K]: Fields[K]
} & {
  readonly [K in keyof Fields as undefined extends Fields[K] ? K : never]?: Exclude<Fields[K], undefined>
}

/** Keeps the fields that are defined, in their order. */
export const defined = <const Fields extends object>(fields: Fields): Defined<Fields> => {
  const kept: { [name: string]: unknown } = {}
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept as Defined<Fields>
}
