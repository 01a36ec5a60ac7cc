/**
 * Rules that make two spellings of one identity the same value.
 *
 * An idempotency key is computed from the identity fields of a call. A model
 * that writes `lx 1234` and then `LX-1234` must get the same key, so each
 * identity field names the rule that it goes through. The list is closed and
 * versioned: a rule never changes meaning, and a new meaning is a new version.
 *
 * @since 0.1.0
 */
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"

/**
 * Version of the rules, recorded with what they produce.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/**
 * Names of the rules.
 *
 * **Details**
 *
 * `exact` changes nothing. `trim` cuts outer white space, `lower` and `upper`
 * also change the case of ASCII letters. `name` composes accents, joins white
 * space and ignores case. `code` keeps letters and digits in upper case.
 * `email` ignores case. `phone` keeps digits and the leading plus. `date`
 * keeps the day of an ISO 8601 date or time. `integer` and `decimal` read
 * numbers. `json` takes any value in canonical form.
 *
 * @category constants
 * @since 0.1.0
 */
export const names = [
  "exact",
  "trim",
  "lower",
  "upper",
  "name",
  "code",
  "email",
  "phone",
  "date",
  "integer",
  "decimal",
  "json"
] as const

/**
 * Name of a rule.
 *
 * @category models
 * @since 0.1.0
 */
export type Normaliser = (typeof names)[number]

/**
 * Error for a value that a rule has no answer for.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotNormalisable extends Schema.TaggedError<NotNormalisable>("@backstitch/contracts/NotNormalisable")(
  "NotNormalisable",
  { normaliser: Schema.String, found: Schema.String }
) {
  override get message(): string {
    return `The normaliser ${this.normaliser} has no answer for ${this.found}. Correct the argument, or choose another normaliser`
  }
}

/**
 * Tells whether a word names a rule.
 *
 * @category guards
 * @since 0.1.0
 */
export const isNormaliser = (value: unknown): value is Normaliser => names.some((name) => name === value)

/**
 * Applies a rule. The answer is text, so that answers of all rules can be joined and hashed.
 *
 * **Example** (One code, two spellings)
 *
 * ```ts import.meta.vitest
 * import { Normaliser } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(Normaliser.apply("code", "lx 1234")) // => "LX1234"
 * Result.getOrThrow(Normaliser.apply("code", "LX-1234")) // => "LX1234"
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const apply = (self: Normaliser, value: Canonical.Json): Result.Result<string, NotNormalisable> => {
  const answer = rules[self](value)
  if (answer?.isWellFormed() === true) return Result.succeed(answer)
  return Result.fail(new NotNormalisable({ normaliser: self, found: JSON.stringify(value) }))
}

const onText =
  (change: (text: string) => string | undefined) =>
  (value: Canonical.Json): string | undefined =>
    typeof value === "string" ? change(value) : undefined

const trimmed = (text: string): string => text.trim()

const notEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

const day = (text: string): string | undefined => {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$/.exec(trimmed(text))
  if (match === null) return undefined
  const [, year = "", month = "", date = ""] = match
  const limit = [31, leap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1]
  return limit !== undefined && Number(date) >= 1 && Number(date) <= limit ? `${year}-${month}-${date}` : undefined
}

const leap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const decimal = (value: Canonical.Json): string | undefined => {
  const read = Decimal.from(typeof value === "string" ? trimmed(value) : value)
  if (read === undefined) return undefined
  const text = Decimal.format(read)
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "").replace(/^-0$/, "0") : text
}

const integer = (value: Canonical.Json): string | undefined => {
  const text = decimal(value)
  return text === undefined || text.includes(".") ? undefined : text
}

const phone = (text: string): string | undefined => {
  const digits = text.replace(/[^\d+]/g, "").replace(/^00/, "+")
  return /^\+?\d{3,}$/.test(digits) ? digits : undefined
}

const email = (text: string): string | undefined => {
  const address = trimmed(text).toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : undefined
}

const ascii = (text: string, letters: RegExp, shift: number): string =>
  text.replace(letters, (letter) => String.fromCharCode(letter.charCodeAt(0) + shift))

const written = (value: Canonical.Json): string | undefined => {
  try {
    return Canonical.encode(value)
  } catch (error) {
    if (Branded.isError(error, Canonical.NotCanonical)) return undefined
    throw error
  }
}

const rules: Readonly<Record<Normaliser, (value: Canonical.Json) => string | undefined>> = {
  exact: (value) => (typeof value === "string" ? value : written(value)),
  trim: onText(trimmed),
  lower: onText((text) => ascii(trimmed(text), /[A-Z]/g, 32)),
  upper: onText((text) => ascii(trimmed(text), /[a-z]/g, -32)),
  name: onText((text) => notEmpty(trimmed(text).normalize("NFC").replace(/\s+/g, " ").toLowerCase())),
  code: onText((text) => notEmpty(ascii(text, /[a-z]/g, -32).replace(/[^\p{L}\p{N}]/gu, ""))),
  email: onText(email),
  phone: onText(phone),
  date: onText(day),
  integer,
  decimal,
  json: written
}
