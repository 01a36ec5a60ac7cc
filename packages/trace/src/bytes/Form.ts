/**
 * The forms of texts, numbers and values that a trace holds: digests, keys, moments, amounts. Each has one spelling, so
 * that equal things have equal bytes.
 *
 * @source docs/FORMAT.md, "Payloads"
 */
import * as Schema from "effect/Schema"
import * as Canonical from "./Canonical.ts"

const text = (identifier: string, pattern: RegExp): Schema.String =>
  Schema.String.annotate({ identifier }).check(Schema.isPattern(pattern, { message: `Expected ${identifier}` }))

/** A SHA-256 digest as 64 lower-case hex digits. */
export const Digest = text("digest", /^[0-9a-f]{64}$/)

/** The digest of a field of the state, with what the field is. */
export const FieldDigest = text("field_digest", /^(?:value|table|list):[0-9a-f]{64}$/)

/** The idempotency key of a call. */
export const Key = text("key", /^bs_[0-9a-f]{40}$/)

/** The span of an action in telemetry: the ids of the trace and of the span, as W3C Trace Context writes them. */
export const Span = text("span", /^[0-9a-f]{32}-[0-9a-f]{16}$/)

/** Money: the shortest decimal, with twelve digits after the point at most. */
export const Money = text("money", /^(?:0|[1-9][0-9]*)(?:\.[0-9]{0,11}[1-9])?$/)

/** A decimal number with the digits after the point that its currency has. */
export const Decimal = text("decimal", /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)

/** An amount of a budget: a count, or money. */
export const Amount = Schema.Union([Schema.Natural, Money]).annotate({ identifier: "amount" })

const isMoney = Schema.is(Money)
const isCount = Schema.is(Schema.Natural)

/** Tells whether a budget limits money: `money`, or `money.` and a currency. Every other one counts. */
export const isMoneyName = (budget: string): boolean => /^money(?:\.|$)/.test(budget)

/** Amounts by the name of their budget: money in those of money, and counts in all others. */
export const Amounts = Schema.declare(
  (input): input is { readonly [budget: string]: typeof Amount.Type } =>
    Canonical.isObject(input) &&
    Object.entries(input).every(([budget, amount]) => (isMoneyName(budget) ? isMoney(amount) : isCount(amount))),
  { identifier: "amounts", message: "Expected a whole number for each budget, and decimal text for one of money" }
)

/** The certainty of an author, from 0 to 1. */
export const Confidence = Schema.Number.annotate({ identifier: "confidence" }).check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "Expected a number from 0 to 1" })
)

/** Epoch milliseconds, up to the last moment that a date can name. */
export const Moment = Schema.Number.annotate({ identifier: "moment" }).check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }, { message: "Expected epoch milliseconds of a date" })
)

/** Milliseconds that something took. */
export const Duration = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** A JSON value that is taken as it is. */
export const Json = Schema.declare(
  (input): input is Canonical.Json => input !== undefined && typeof input !== "function",
  { identifier: "value" }
)

/**
 * A text as somebody wrote it: a person, a provider, a model or a contract. Any other text of a body is a name, a code
 * or a digest, and no sentence.
 */
export const Written = Schema.String.annotate({ identifier: "written" })

/** An object whose fields are not ours to name. */
export const JsonObject = Schema.declare(Canonical.isObject, { identifier: "object" })
