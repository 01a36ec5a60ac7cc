/** The parts of paths and queries that several routes share. */
import * as Run from "@backstitch/trace/Run"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Limits from "../Limits.ts"

/** A run of the caller's tenant. */
export const run = { run: Run.RunId } as const

/** A number in decimal digits, and in no other form that a program reads as one. */
const Digits = Schema.String.check(Schema.isPattern(/^\d{1,10}$/)).pipe(
  Schema.decodeTo(Schema.Number, SchemaTransformation.numberFromString)
)

const isTick = Schema.isBetween({ minimum: 1, maximum: Limits.refusing.tickMax })

/** A tick in a path or a query. */
export const Tick = Digits.check(Schema.isInt(), isTick)

/** A tick in a body. */
export const TickNumber = Schema.Int.check(isTick)

/** The number of items of a page. */
export const Limit = Digits.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: Limits.refusing.pageItemsMax })
)

const isUnicode = Schema.makeFilter((text: string) => text.isWellFormed(), { expected: "text of whole characters" })

const isPrintable = Schema.makeFilter((text: string) => !/\p{Cc}/u.test(text), { expected: "no control characters" })

/** A name in a path, such as that of an action. */
export const Name = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.refusing.nameCharactersMax),
  isUnicode,
  isPrintable
)

/** Several names, at most as many as given. */
export const names = (max: number) => Schema.Array(Name).check(Schema.isMaxLength(max))

/** A text of a person. */
export const Text = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.refusing.textCharactersMax),
  isUnicode
)

/** A moment as ISO 8601 has it, in UTC or with an offset. */
export const Moment = Schema.DateTimeUtcFromString
