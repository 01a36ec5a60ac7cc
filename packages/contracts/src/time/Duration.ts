/**
 * Spans of time as reviewers write them: `500ms`, `10s`, `2m`, `1h30m`.
 *
 * Packs state deadlines in a form that a person can check; programs compare whole milliseconds. The notation is a
 * closed list of units, largest first, so a span has few spellings and none depends on a locale.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Error for text that is no span of time. */
export class DurationInvalid extends Schema.TaggedError<DurationInvalid>("@backstitch/contracts/DurationInvalid")(
  "DurationInvalid",
  { found: Schema.String }
) {
  override get message(): string {
    return `${JSON.stringify(this.found)} is not a duration. Write whole units, largest first, such as 500ms, 10s or 1h30m`
  }
}

const unitMillis = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

const notation = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/

/**
 * Reads a span of time as milliseconds.
 *
 * **Example** (Reading a deadline)
 *
 * ```ts import.meta.vitest
 * import { Duration } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(Duration.parse("1h30m")) // => 5400000
 * ```
 */
export const parse = (text: string): Result.Result<number, DurationInvalid> => {
  const match = text === "" ? null : notation.exec(text)
  if (match === null) return Result.fail(new DurationInvalid({ found: text }))
  const [, d = "0", h = "0", m = "0", s = "0", ms = "0"] = match
  const millis =
    Number(d) * unitMillis.d +
    Number(h) * unitMillis.h +
    Number(m) * unitMillis.m +
    Number(s) * unitMillis.s +
    Number(ms) * unitMillis.ms
  return Number.isSafeInteger(millis) ? Result.succeed(millis) : Result.fail(new DurationInvalid({ found: text }))
}

/** Writes milliseconds as a span of time, in the notation that {@link parse} reads. */
export const format = (millis: number): string => {
  if (millis === 0) return "0s"
  let rest = millis
  let text = ""
  for (const [unit, size] of Object.entries(unitMillis)) {
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text
}

/**
 * Writes a span for people: its two largest units, rounded down. Less than a second is `0s`.
 *
 * **Example** (Telling how much time is left)
 *
 * ```ts import.meta.vitest
 * import { Duration } from "@backstitch/contracts"
 *
 * Duration.roughly(86_399_120) // => "23h59m"
 * ```
 */
export const roughly = (millis: number): string => {
  const sizes = Object.values(unitMillis)
  const largest = sizes.findIndex((size) => size <= millis)
  const smallest = sizes[Math.min(largest < 0 ? sizes.length : largest + 1, sizes.indexOf(unitMillis.s))]!
  return format(Math.floor(millis / smallest) * smallest)
}
