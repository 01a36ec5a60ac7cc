/** Reads the input of a client, and states exactly what is wrong with it. */
import * as CalendarDate from "./CalendarDate.ts"
import { malformed } from "./DomainError.ts"

/** Named values that came from a body or a query. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON body, of which only the named ones may occur; an empty body has none. */
export const fromBody = (body: string, names: ReadonlyArray<string>): Fields => {
  if (body === "") return {}
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw malformed("The body is not JSON; send one JSON object")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("The body is not a JSON object; send one JSON object")
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw malformed(`Unknown field ${name}; known are: ${names.join(", ") || "none"}`)
  }
  return value as Fields
}

/** The fields of a query. */
export const fromQuery = (query: URLSearchParams): Fields => Object.fromEntries(query)

/** A text of 1 to 500 characters. */
export const text = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value !== "string" || value.length === 0 || value.length > 500) {
    throw malformed(`${name} must be a text of 1 to 500 characters`)
  }
  return value
}

/** One of the known words. */
export const oneOf = <A extends string>(fields: Fields, name: string, words: ReadonlyArray<A>): A => {
  const value = fields[name]
  const found = words.find((word) => word === value)
  if (found === undefined) throw malformed(`${name} must be one of: ${words.join(", ")}`)
  return found
}

/** A day that exists, as `YYYY-MM-DD`. */
export const date = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value !== "string" || !CalendarDate.isCalendarDate(value)) {
    throw malformed(`${name} must be a day that exists, as YYYY-MM-DD`)
  }
  return value
}

/** An integer within bounds; a text of digits if it comes from a query. */
export const integer = (
  fields: Fields,
  name: string,
  bounds: { readonly min: number; readonly max: number }
): number => {
  const value = fields[name]
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number !== "number" || !Number.isInteger(number) || number < bounds.min || number > bounds.max) {
    throw malformed(`${name} must be an integer from ${bounds.min} to ${bounds.max}`)
  }
  return number
}

/** A positive amount in minor units. */
export const amount = (fields: Fields, name: string): number =>
  integer(fields, name, { min: 1, max: 1_000_000_000_000 })

/** A currency code of three capitals. */
export const currency = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value !== "string" || !/^[A-Z]{3}$/.test(value)) throw malformed(`${name} must be a code such as CHF`)
  return value
}
