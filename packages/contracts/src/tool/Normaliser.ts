/**
 * Rules that make two spellings of one identity the same value.
 *
 * An idempotency key is computed from the identity fields of a call. A model that writes `lx 1234` and then `LX-1234`
 * means one flight. A model that writes `1-23` and then `12-3` may mean two. So each identity field names a rule, and
 * a rule gives two answers:
 *
 * | two values with | are | the second call |
 * | --- | --- | --- |
 * | one spelling | the same | is answered from the record |
 * | one key, two spellings | perhaps the same | is refused, not guessed |
 * | two keys | not the same | is another act |
 *
 * The list is closed and versioned: a rule never changes meaning, and a new meaning is a new version. A rule has no
 * answer for a value of another kind; it drops no part of a value to make one fit.
 *
 * @source docs/decisions/0019
 */

import * as Decimal from "@backstitch/expressions/Decimal"
import type * as Field from "@backstitch/expressions/Field"
import * as WhiteSpace from "@backstitch/expressions/WhiteSpace"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CalendarDate from "../time/calendarDate.ts"
import * as TextVariants from "./textVariants.ts"

/** Version of the rules. A pack may name it, as in `code@1`. */
export const version = 1

/**
 * Names of the rules.
 *
 * Canonically equivalent texts (Unicode, NFC) are one text for every rule. White space is what Unicode calls
 * `White_Space`, on every platform.
 *
 * | rule | for | one spelling | one key as well |
 * | --- | --- | --- | --- |
 * | `exact` | any value | equivalent texts | a number and the text of it |
 * | `trim` | text | outer white space | |
 * | `lower`, `upper` | text | outer white space, case | |
 * | `name` | names | white space, case, width, typographic signs | |
 * | `code` | codes | the same, and signs between letters and digits | signs within letters or digits |
 * | `email` | addresses | case, the two forms of a domain (IDNA) | |
 * | `phone` | telephone numbers, with extension | signs between digits, `00` for `+` | |
 * | `date` | ISO 8601 dates | midnight of a day | any time of a day |
 * | `datetime` | ISO 8601 times of a date | offsets from UTC | |
 * | `integer`, `decimal` | numbers; of text, those that group no thousands | zeros, exponents, text or number | |
 * | `url` | absolute URLs | as the WHATWG standard writes them | |
 * | `json` | any value | order of fields | |
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
  "datetime",
  "integer",
  "decimal",
  "url",
  "json"
] as const

/** Name of a rule. */
export type Normaliser = (typeof names)[number]

const inDigits = "Give a number, or text in which nothing parts the thousands (1.000 is one in some places)"
const corrections: Readonly<Record<string, string>> = { integer: inDigits, decimal: inDigits }

/** Error for a value for which a rule has no answer. */
export class NotNormalisable extends Schema.TaggedError<NotNormalisable>("@backstitch/contracts/NotNormalisable")(
  "NotNormalisable",
  { normaliser: Schema.String, found: Schema.String }
) {
  override get message(): string {
    const correct = Object.hasOwn(corrections, this.normaliser) ? corrections[this.normaliser] : "Correct the argument"
    return `The normaliser ${this.normaliser} has no answer for ${this.found}. ${correct}, or choose another normaliser`
  }
}

/** Tells whether a word names a rule. */
export const isNormaliser = (value: unknown): value is Normaliser => names.some((name) => name === value)

/**
 * The answers of a rule: the text for the key, and the spelling for the request hash.
 *
 * **Details**
 *
 * The key is text, so that keys of all rules can be joined and hashed. It is computed from the spelling, so values
 * with one spelling have one key.
 */
export interface Normal {
  readonly key: string
  readonly spelling: Canonical.Json
}

/**
 * Applies a rule.
 *
 * **Details**
 *
 * If the field is declared, its type says how text is meant: in a field of type `decimal`, a point separates the
 * fraction. In other fields `1.000` may be one or a thousand, and has no answer.
 *
 * **Example** (One code, and two that may be one)
 *
 * ```ts import.meta.vitest
 * import { Normaliser } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const read = (code: string) => Result.getOrThrow(Normaliser.read("code", code))
 *
 * read("lx 1234") // => { key: "LX1234", spelling: "LX1234" }
 * read("LX-1234") // => { key: "LX1234", spelling: "LX1234" }
 * read("12-3") // => { key: "123", spelling: "12-3" }
 * ```
 */
export const read = (
  self: Normaliser,
  value: Canonical.Json,
  field?: Field.Field
): Result.Result<Normal, NotNormalisable> => {
  const normal = rules[self](value, field)
  if (normal !== undefined && TextVariants.isWellFormed(normal.spelling)) return Result.succeed(normal)
  return Result.fail(new NotNormalisable({ normaliser: self, found: JSON.stringify(value) }))
}

/** Applies a rule, and answers only the key. */
export const apply = (
  self: Normaliser,
  value: Canonical.Json,
  field?: Field.Field
): Result.Result<string, NotNormalisable> => Result.map(read(self, value, field), ({ key }) => key)

/** Composes all text of a value (NFC). If two names of an object would become one, the value stays as it is. */
export const compose = (value: Canonical.Json): Canonical.Json => TextVariants.composed(value) ?? value

type Rule = (value: Canonical.Json, field?: Field.Field) => Normal | undefined

/** A rule on text with one answer for both. */
const onText =
  (change: (text: string) => string | undefined): Rule =>
  (value) =>
    typeof value === "string" ? both(change(value.normalize("NFC"))) : undefined

const both = (text: string | undefined): Normal | undefined =>
  text === undefined ? undefined : { key: text, spelling: text }

/** A rule on text of a kind, independent of punctuation. */
const onKind = (change: (text: string) => string | undefined): Rule =>
  onText((text) => change(TextVariants.plain(text)))

const exact: Rule = (value) => {
  const spelling = TextVariants.composed(value)
  const key = typeof spelling === "string" ? spelling : spelling === undefined ? undefined : written(spelling)
  return key === undefined || spelling === undefined ? undefined : { key, spelling }
}

const json: Rule = (value) => {
  const spelling = TextVariants.composed(value)
  return spelling === undefined ? undefined : both(written(spelling))
}

const written = (value: Canonical.Json): string | undefined => {
  try {
    return Canonical.encode(value)
  } catch (error) {
    if (Branded.isError(error, Canonical.NotCanonical)) return undefined
    throw error
  }
}

const notEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

/** Separators in a code. Between a letter and a digit they change nothing, since those are separate anyway. */
const parting = /(?<=(\p{N})|[\p{L}\p{M}])(?: ?- ?|[ ./_:])(?=(\p{N})|[\p{L}\p{M}])/gu
const separators = /(?<=[\p{L}\p{M}\p{N}])[- ./_:]+(?=[\p{L}\p{M}\p{N}])/gu

const code: Rule = (value) => {
  if (typeof value !== "string") return undefined
  const spelling = TextVariants.upper(TextVariants.plain(value)).replace(
    parting,
    (sign, before?: string, after?: string) => {
      if ((before === undefined) !== (after === undefined)) return ""
      return /[ -]/.test(sign) ? "-" : sign
    }
  )
  if (!/[\p{L}\p{N}]/u.test(spelling)) return undefined
  // A number sign before a code may be written or left out.
  return { key: spelling.replace(/^# ?(?=[\p{L}\p{N}])/u, "").replace(separators, ""), spelling }
}

/** @source RFC 5321 (dot-atoms), RFC 6531 (beyond ASCII), RFC 5890 (domains) */
const email = (text: string): string | undefined => {
  const match = /^([^@ ]+)@([^@ ]+)$/.exec(text.toLowerCase().normalize("NFC"))
  const [, local = "", domain = ""] = match ?? []
  const isLocal = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(local)
  const isDomain = /^(?!-)[\p{L}\p{M}\p{N}-]+(?:\.(?!-)[\p{L}\p{M}\p{N}-]+)*$/u.test(domain)
  const host = isLocal && isDomain ? TextVariants.inAscii(domain) : undefined
  return host === undefined ? undefined : `${local}@${host}`
}

/** @source ITU-T E.164 (at most fifteen digits), RFC 3966 (signs between digits, extensions) */
const phone = (text: string): string | undefined => {
  const match = /^(?:tel:)?(.{1,64}?)(?:(?:;ext=|[ ,]*(?:extension|ext\.?|x) ?)(\d{1,15}))?$/i.exec(text)
  const [, subscriber = "", extension] = match ?? []
  // A trunk prefix in brackets is dialled in some countries and left out in others.
  if (/^(?:\+|00).*\(0\)/.test(subscriber)) return undefined
  if (!/^\+?(?: ?\(\d+\)| ?(?:[-.] ?)?\d|\/\d)+$/.test(subscriber)) return undefined
  const digits = subscriber.replace(/[^\d+]/g, "").replace(/^00/, "+")
  if (!/^(?:\+[1-9]\d{2,14}|\d{3,15})$/.test(digits)) return undefined
  return extension === undefined ? digits : `${digits};ext=${extension}`
}

/** A day with a time may be that day, or an appointment on it. */
const date: Rule = (value) => {
  const read = typeof value === "string" ? CalendarDate.read(TextVariants.plain(value)) : undefined
  if (read === undefined) return undefined
  const { day, offset = "", time } = read
  const isDay = time === undefined || time === "00:00:00"
  return { key: day, spelling: isDay ? day : `${day}T${time}${offset}` }
}

const datetime = (text: string): string | undefined => {
  const read = CalendarDate.read(text)
  return read?.time === undefined ? undefined : CalendarDate.instant({ ...read, time: read.time })
}

/** Three digits after one sign are thousands in some places, and a fraction in others. */
const grouped = /^[+-]?[1-9]\d{0,2}\.\d{3}$/

const decimal = (value: Canonical.Json, field?: Field.Field): string | undefined => {
  const given = typeof value === "string" ? TextVariants.plain(value) : value
  if (typeof given === "string" && grouped.test(given) && field?.type !== "decimal") return undefined
  const read = Decimal.from(given)
  if (read === undefined) return undefined
  const text = Decimal.format(read)
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text
}

const integer = (value: Canonical.Json, field?: Field.Field): string | undefined => {
  const text = decimal(value, field)
  return text === undefined || text.includes(".") ? undefined : text
}

/** @source WHATWG URL */
const url = (text: string): string | undefined => {
  const address = WhiteSpace.trim(text)
  return WhiteSpace.isIn(address) || /\p{C}/u.test(address) || !URL.canParse(address)
    ? undefined
    : new URL(address).href
}

const rules: Readonly<Record<Normaliser, Rule>> = {
  exact,
  trim: onText((text) => WhiteSpace.trim(text)),
  lower: onText((text) => TextVariants.lower(WhiteSpace.trim(text))),
  upper: onText((text) => TextVariants.upper(WhiteSpace.trim(text))),
  name: onKind((text) => notEmpty(text.toLowerCase().normalize("NFC"))),
  code,
  email: onKind(email),
  phone: onKind(phone),
  date,
  datetime: onKind(datetime),
  integer: (value, field) => both(integer(value, field)),
  decimal: (value, field) => both(decimal(value, field)),
  url: onText(url),
  json
}
