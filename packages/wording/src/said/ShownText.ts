/**
 * Text of others as a reader is shown it: nothing in it is obeyed by a terminal. Likewise a moment.
 *
 * Names and messages of models, tools and providers may hold line breaks, escape sequences and marks that change the
 * direction of text. Printed as they are, they could look like lines of the program that prints them.
 */

/** Control characters, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/**
 * Shows text on one line: each character that a terminal obeys is written as an escape. Those of `keeps` stay.
 *
 * **Example** (A name that would colour a terminal)
 *
 * ```ts import.meta.vitest
 * import { ShownText } from "@backstitch/wording"
 *
 * ShownText.shown("red\u001b[31m") // => "red\\u001b[31m"
 * ```
 */
export const shown = (text: string, keeps = ""): string =>
  text.replace(obeyed, (each) => (keeps.includes(each) ? each : escapeOf(each)))

/**
 * Shows a moment, given in epoch milliseconds, in UTC. One that no calendar has is shown in seconds.
 *
 * **Example** (A moment of a trace)
 *
 * ```ts import.meta.vitest
 * import { ShownText } from "@backstitch/wording"
 *
 * ShownText.moment(1_700_000_000_000) // => "2023-11-14T22:13:20.000Z"
 * ```
 */
export const moment = (millis: number): string => {
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? `${millis / 1000} s` : date.toISOString()
}

const escapeOf = (character: string): string =>
  named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
