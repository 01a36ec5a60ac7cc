/**
 * Hides the text that a tool or a provider writes about an action with sensitive values and that no field declares: it
 * may contain one of the values, in any spelling.
 *
 * No part is cut out of a text: the rest would show what was cut, and no search finds every spelling.
 *
 * @source docs/decisions/0028
 */
import * as Field from "@backstitch/expressions/Field"
import * as Finding from "@backstitch/kernel/Finding"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"

/** The text in place of a value that is not kept. */
export const mark = "[sealed]"

/** The field that holds the undeclared part of an object. No declared field can have that name. */
const rest = "$undeclared"

/** Replaces a value. */
export type Hide = (value: Json) => Json

/**
 * Replaces the values of a record that its field does not declare: further fields, values of type `json`, and values
 * of another type than the declared one.
 */
export const undeclared = (field: Field.Field | undefined, json: Json, hide: Hide): Json => {
  if (json === null || field?.sensitive !== undefined) return json
  if (field === undefined) return hidden(json, hide)
  switch (field.type) {
    case "json":
      return hidden(json, hide)
    case "object":
      return isRecord(json) ? ofObject(field.fields, json, hide) : hidden(json, hide)
    case "table":
      return isRecord(json)
        ? Object.fromEntries(Object.entries(json).map(([key, row]) => [key, undeclared(field.row, row as Json, hide)]))
        : hidden(json, hide)
    case "list":
      return Array.isArray(json) ? json.map((item: Json) => undeclared(field.item, item, hide)) : hidden(json, hide)
    default:
      return Field.check(field, json).length === 0 ? json : hidden(json, hide)
  }
}

const isRecord = (json: Json): json is JsonObject => Canonical.isObject(json) && !SealedValue.isSealedValue(json)

const ofObject = (fields: Field.Fields, json: JsonObject, hide: Hide): Json => {
  const known: Record<string, Json> = {}
  const others: Record<string, Json> = {}
  for (const [name, value] of Object.entries(json)) {
    if (value === undefined) continue
    if (Object.hasOwn(fields, name)) known[name] = undeclared(fields[name], value, hide)
    else others[name] = value
  }
  return Object.keys(others).length === 0 ? known : { ...known, [rest]: hide(others) }
}

/** `null` and booleans reveal too little to be hidden. */
const hidden = (json: Json, hide: Hide): Json => (json === null || typeof json === "boolean" ? json : hide(json))

/**
 * The reason of a provider's refusal: its code and status in clear, if they have the form of such, and its text
 * sealed.
 */
export const refusal = (error: Json, carried: ReadonlyArray<Json>, hide: Hide): Json => {
  if (error === null || typeof error === "boolean" || isWordless(error)) return error
  const kept = isRecord(error)
    ? Object.entries(error).filter(([name, value]) => isCode(name, value as Json, carried))
    : []
  return { ...Object.fromEntries(kept), written: hide(error) }
}

const isCode = (name: string, value: Json, carried: ReadonlyArray<Json>): boolean => {
  if (name === "status" && Number.isInteger(value) && Number(value) >= 100 && Number(value) < 600) {
    return !isIn(carried, String(value))
  }
  return (name === "code" || name === "status") && typeof value === "string" && isWord(value, carried)
}

/** Tells whether a text is made of letters in the form of a code, in which no value can be written. */
export const isWord = (text: string, carried: ReadonlyArray<Json>): boolean =>
  /^[A-Za-z][A-Za-z_.-]{0,63}$/.test(text) && !isIn(carried, text)

const isIn = (carried: ReadonlyArray<Json>, text: string): boolean => {
  const written = lettersOf(text)
  return carried.flatMap(textsOf).some((each) => written.includes(each))
}

const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")

const textsOf = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string" || typeof value === "number") {
    const text = lettersOf(String(value))
    return text === "" ? [] : [text]
  }
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((each) => textsOf(each as Json))
    : []
}

/** Tells whether a code of Backstitch has no text among its arguments. */
const isWordless = (value: Json): boolean =>
  Finding.isKnown(value) && Object.values(value.args).every((each) => typeof each !== "string" && !isNested(each))

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null

/** The reason for a missing answer: a code of Backstitch without text of others; names from the contract stay. */
export const silence = (reason: Finding.Any, names: ReadonlyArray<string>): Finding.Any => ({
  ...reason,
  args: Object.fromEntries(
    Object.entries(reason.args).map(([name, each]) => [
      name,
      (typeof each === "string" && !names.includes(each)) || isNested(each) ? mark : each
    ])
  ) as JsonObject
})

/**
 * The arguments of a call without undeclared ones: the call is refused because of those, and they may be sensitive
 * values under another name.
 */
export const closed = (
  fields: Field.Fields,
  json: Json,
  { carried, hide }: { readonly carried: ReadonlyArray<Json>; readonly hide: Hide }
): Json => {
  if (!isRecord(json)) return mark
  const entries = Object.entries(json).map(([name, each]): readonly [string, Json] =>
    Object.hasOwn(fields, name)
      ? [name, undeclared(fields[name], each as Json, hide)]
      : [isWord(name, carried) ? name : mark, mark]
  )
  return Object.fromEntries(entries)
}
