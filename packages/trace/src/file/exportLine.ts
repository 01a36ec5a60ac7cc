/** Lines of an export, before they are parsed by their place. */
import * as Canonical from "../bytes/Canonical.ts"
import * as Limits from "../Limits.ts"

/** The object in a line, if it holds one, in any spelling. */
export const headed = (text: string): Canonical.JsonObject | undefined => {
  try {
    // A byte order mark is refused as a character before the canonical form, not as another file format.
    const value = Canonical.parse(text.replace(/^\ufeff/, ""))
    return Canonical.isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A line without its end. Only the last line of a text may have no end. */
interface Line {
  readonly text: string
  readonly isEnded: boolean
}

/** The lines of a text, or lines that were already split. */
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

/** A wrong value is quoted in messages, and may be as long as its line. */
export const shorten = (text: string): string =>
  text.length > misfitCharactersMax ? `${text.slice(0, misfitCharactersMax - 1)}…` : text

const { misfitCharactersMax } = Limits.showing
