/** Lines of an export, before they are read as what they have to be. */

import * as Canonical from "../bytes/Canonical.ts"
import * as Limits from "../Limits.ts"

/** The object that a line holds, if it is one, however it is spelled. */
export const headed = (text: string): Canonical.JsonObject | undefined => {
  try {
    // A byte order mark is refused as what stands before the canonical form, not as another file.
    const value = Canonical.parse(text.replace(/^\ufeff/, ""))
    return Canonical.isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A line without its end. Only the last one of a text may have none. */
interface Line {
  readonly text: string
  readonly isEnded: boolean
}

/** The lines of a text, or lines that were split before. */
export function* splitLines(source: string | Iterable<string>): Generator<Line, undefined> {
  if (typeof source !== "string") {
    for (const text of source) yield { text, isEnded: true }
    return undefined
  }
  let start = 0
  while (start < source.length) {
    const end = source.indexOf("\n", start)
    if (end === -1) break
    yield { text: source.slice(start, end), isEnded: true }
    start = end + 1
  }
  if (start < source.length) yield { text: source.slice(start), isEnded: false }
  return undefined
}

/** A value that does not fit is told with its text, which may be as long as its line. */
export const shorten = (text: string): string =>
  text.length > misfitCharactersMax ? `${text.slice(0, misfitCharactersMax - 1)}…` : text

const { misfitCharactersMax } = Limits.showing
