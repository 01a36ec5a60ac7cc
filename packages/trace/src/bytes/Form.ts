/**
 * The forms of texts, numbers and values in a trace: digests, keys, times, amounts. Each has one spelling, so that
 * equal values have equal bytes.
 *
 * @source docs/FORMAT.md, "Payloads"
 */
import * as Schema from "effect/Schema"
import * as Canonical from "./Canonical.ts"

const text = (identifier: string, pattern: RegExp): Schema.String =>
  Schema.String.annotate({ identifier }).check(Schema.isPattern(pattern, { message: `Expected ${identifier}` }))

/** A SHA-256 digest as 64 lower-case hex digits. */
export const Digest = text("digest", /^[0-9a-f]{64}$/)

/** The digest of a field of the state, with the kind of the field. */
export const FieldDigest = text("field_digest", /^(?:value|table|list):[0-9a-f]{64}$/)

/** The idempotency key of a call. */
export const Key = text("key", /^bs_[0-9a-f]{40}$/)

/** The span of an action in telemetry: the ids of the trace and of the span, in the form of W3C Trace Context. */
export const Span = text("span", /^[0-9a-f]{32}-[0-9a-f]{16}$/)

/** Money: the shortest decimal, with at most twelve digits after the point. */
export const Money = text("money", /^(?:0|[1-9][0-9]*)(?:\.[0-9]{0,11}[1-9])?$/)

/** A decimal number with the digits after the point that its currency has. */
export const Decimal = text("decimal", /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)

/** An amount of a budget: a count, or money. */
export const Amount = Schema.Union([Schema.Natural, Money]).annotate({ identifier: "amount" })

const isMoney = Schema.is(Money)
const isCount = Schema.is(Schema.Natural)

/** Tells whether a budget limits money: `money`, or `money.` and a currency. Every other budget is a count. */
export const isMoneyName = (budget: string): boolean => /^money(?:\.|$)/.test(budget)

/** Amounts by the name of their budget: money for money budgets, counts for all others. */
export const Amounts = Schema.declare(
  (input): input is { readonly [budget: string]: typeof Amount.Type } =>
    Canonical.isObject(input) &&
    Object.entries(input).every(([budget, amount]) => (isMoneyName(budget) ? isMoney(amount) : isCount(amount))),
  { identifier: "amounts", message: "Expected a whole number for each budget, and decimal text for one of money" }
)

/** The confidence of an author, from 0 to 1. */
export const Confidence = Schema.Number.annotate({ identifier: "confidence" }).check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "Expected a number from 0 to 1" })
)

/** Epoch milliseconds, up to the last time that a date can represent. */
export const Moment = Schema.Number.annotate({ identifier: "moment" }).check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }, { message: "Expected epoch milliseconds of a date" })
)

/** A duration in milliseconds. */
export const Duration = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** A JSON value of any form. */
export const Json = Schema.declare(
  (input): input is Canonical.Json => input !== undefined && typeof input !== "function",
  { identifier: "value" }
)

/**
 * A text written by a person, a provider, a model or a contract. Any other text of a body is a name, a code or a
 * digest, and no sentence.
 */
export const Written = Schema.String.annotate({ identifier: "written" })

/** An object with fields of any name. */
export const JsonObject = Schema.declare(Canonical.isObject, { identifier: "object" })
