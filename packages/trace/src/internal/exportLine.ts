/**
 * Lines of an export, before they are read as what they have to be.
 *
 * @since 0.1.0
 */
import * as Canonical from "../Canonical.ts"

/** The object that a line holds, if it is one. */
export const parse = (text: string): object | undefined => {
  try {
    const value: unknown = Canonical.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Tells a cut line: whole ones end in the quote of a string and a brace; within a string, that quote is escaped. */
export const isCut = (text: string): boolean => text.startsWith("{") && !/[^\\]"}$/.test(text)

/** The lines of a text, without their ends. */
export function* splitLines(text: string): Generator<string, undefined> {
  let start = 0
  while (start < text.length) {
    const end = text.indexOf("\n", start)
    if (end === -1) break
    yield text.slice(start, end)
    start = end + 1
  }
  yield text.slice(start)
  return undefined
}

/** A value that does not fit is told with its text, which may be as long as its line. */
export const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 499)}…` : text)
