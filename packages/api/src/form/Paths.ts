/** The parts of paths and queries that several endpoints share. */
import * as Run from "@backstitch/trace/Run"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** A run of the caller's tenant. */
export const run = { run: Run.RunId } as const

/** A whole number in a path or a query, from 1 on. */
export const Tick = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 2 ** 31 }))

/** The number of items of a page. */
export const Limit = Schema.NumberFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: Limits.refusing.pageItemsMax })
)

/** A name in a path, such as that of an action. */
export const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(Limits.refusing.nameCharactersMax))

/** A text of a person. */
export const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(Limits.refusing.textCharactersMax))

/** A moment as ISO 8601 has it, in UTC or with an offset. */
export const Moment = Schema.DateTimeUtcFromString
