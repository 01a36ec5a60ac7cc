/**
 * Different ways to write the same text: composed or not, full or half width, upper or lower case, with typographic
 * signs.
 */

import * as WhiteSpace from "@backstitch/expressions/WhiteSpace"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

/** All text of a value composed (NFC); `undefined` where two names of an object would become one. */
export const composed = (value: Json): Json | undefined => {
  if (typeof value === "string") return value.normalize("NFC")
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return all(value.map(composed))
  const names = Object.keys(value)
  const fresh = names.map((name) => name.normalize("NFC"))
  const values = all(names.map((name) => composed((value as JsonObject)[name] ?? null)))
  if (values === undefined || new Set(fresh).size < fresh.length) return undefined
  return Object.fromEntries(fresh.map((name, index) => [name, values[index] as Json]))
}

const all = (values: ReadonlyArray<Json | undefined>): ReadonlyArray<Json> | undefined =>
  values.some((value) => value === undefined) ? undefined : (values as ReadonlyArray<Json>)

/** Tells whether all text of a value is well-formed. */
export const isWellFormed = (value: Json): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([name, each]) => name.isWellFormed() && isWellFormed(each ?? null))
}

/**
 * Text without typographic variants: plain letters and digits for full-width ones, the dashes and apostrophes of a
 * keyboard, no invisible characters, and one space for white space.
 */
export const plain = (text: string): string =>
  WhiteSpace.collapse(
    text
      .replace(/[\uFF00-\uFFEF]+/g, (wide) => wide.normalize("NFKC"))
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u2018\u2019\u02BC]/g, "'")
      .replace(/[\u00AD\u200B\u200E\u200F\u2060\uFEFF]/g, "")
  ).normalize("NFC")

/** Each letter in lower case, unless that could not be reversed: ß and ss stay different. */
export const lower = (text: string): string => turned(text, (letter) => letter.toLowerCase(), "toUpperCase")

/** Each letter in upper case, unless that could not be reversed. */
export const upper = (text: string): string => turned(text, (letter) => letter.toUpperCase(), "toLowerCase")

const turned = (text: string, turn: (letter: string) => string, back: "toLowerCase" | "toUpperCase"): string =>
  [...text]
    .map((letter) => (turn(letter)[back]() === letter ? turn(letter) : letter))
    .join("")
    .normalize("NFC")

/** A domain in the form for look-up (IDNA); `undefined` if it has none. */
export const inAscii = (domain: string): string | undefined => {
  if (/^[\0-\x7F]*$/.test(domain)) return domain
  const address = `http://${domain}/`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}
