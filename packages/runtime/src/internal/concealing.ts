/**
 * Cuts out of what no contract describes the text of values that the same call has sealed.
 *
 * @since 0.1.0
 */
import type * as Field from "@backstitch/contracts/Field"
import type * as Finding from "@backstitch/kernel/Finding"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"

/** Values in clear, each with what stands in for it. */
export type Carried = ReadonlyArray<{ readonly value: Json; readonly sealed: Json }>

/** What is left in a text in the place of what was cut out. */
export const mark = "[sealed]"

/**
 * The same, without what is carried. What the field declares as clear stays: a contract has said so. A text that is a
 * carried value as a whole becomes that sealed value, and so can still be compared.
 */
export const concealed = (field: Field.Field | undefined, json: Json, carried: Carried): Json => {
  const known = carried.flatMap(({ sealed, value }) => textsOf(value).map((text) => ({ text, sealed, whole: value })))
  // The longest first, as one may hold another.
  known.sort((left, right) => right.text.length - left.text.length)
  return known.length === 0 ? json : cut(field, json, known)
}

/** The same of why nobody answered: a code stays one, and a text that is a carried value as a whole is cut out. */
export const concealedReason = (reason: string | Finding.Any, carried: Carried): string | Finding.Any => {
  if (typeof reason !== "string") return { ...reason, args: concealed(undefined, reason.args, carried) as JsonObject }
  const kept = concealed(undefined, reason, carried)
  return typeof kept === "string" ? kept : mark
}

type Known = ReadonlyArray<{ readonly text: string; readonly sealed: Json; readonly whole: Json }>

const cut = (field: Field.Field | undefined, json: Json, known: Known): Json => {
  if (typeof json === "string") {
    if (field !== undefined && field.type !== "json") return json
    const same = known.find(({ whole }) => whole === json)
    if (same !== undefined) return same.sealed
    return known.reduce((text, { text: carried }) => text.replaceAll(carried, mark), json)
  }
  if (typeof json !== "object" || json === null || SealedValue.isSealedValue(json)) return json
  if (Array.isArray(json)) {
    const item = field?.type === "list" ? field.item : undefined
    return json.map((each: Json) => cut(item, each, known))
  }
  const within = (name: string): Field.Field | undefined => {
    if (field?.type === "table") return field.row
    return field?.type === "object" && Object.hasOwn(field.fields, name) ? field.fields[name] : undefined
  }
  return Object.fromEntries(
    Object.entries(json).map(([name, each]) => [
      known.reduce((text, { text: carried }) => text.replaceAll(carried, mark), name),
      cut(within(name), each as Json, known)
    ])
  )
}

/** Texts of a value that would give it away; a number or a mark says nothing by itself. */
const textsOf = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap((each) => textsOf(each as Json))
}
