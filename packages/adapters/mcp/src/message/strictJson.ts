/**
 * Checks that text is JSON which every reader understands alike.
 *
 * The proxy has to judge the same value as the server acts on. A key for the second time is read by some parsers as the
 * first and by others as the last; a whole number beyond 2^53 is read exactly by some and rounded by others.
 */
import * as JsonText from "@backstitch/trace/JsonText"

/** The value of a text, and whether it has a key twice or a whole number that is not exact. */
export interface Strict {
  readonly value: unknown
  readonly hasRepeatedKey: boolean
  readonly isInexact: boolean
}

/** Reads text; `undefined` if it is no JSON. */
export const read = (text: string): Strict | undefined => {
  let value: unknown
  try {
    value = JsonText.read(text)
  } catch {
    return undefined
  }
  return { value, ...scan(text) }
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Walks over text that is known to be JSON. */
const scan = (text: string): Pick<Strict, "hasRepeatedKey" | "isInexact"> => {
  const levels: Array<Set<string>> = []
  let hasRepeatedKey = false
  let isInexact = false
  let at = 0
  while (at < text.length) {
    const unit = text[at]!
    if (unit === '"') {
      const end = closingQuote(text, at + 1)
      if (isKey(text, end + 1)) {
        const written = text.slice(at, end + 1)
        const key = written.includes("\\") ? (JsonText.read(written) as string) : written.slice(1, -1)
        const keys = levels.at(-1)
        if (keys?.has(key) === true) hasRepeatedKey = true
        keys?.add(key)
      }
      at = end + 1
      continue
    }
    if (unit === "{") levels.push(new Set())
    else if (unit === "}") levels.pop()
    else if (unit === "-" || (unit >= "0" && unit <= "9")) {
      number.lastIndex = at
      const [written = unit] = number.exec(text) ?? []
      if (!isExact(written)) isInexact = true
      at += written.length
      continue
    }
    at++
  }
  return { hasRepeatedKey, isInexact }
}

const closingQuote = (text: string, from: number): number => {
  let at = from
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

/** Tells whether a colon follows, which in JSON follows only a key. */
const isKey = (text: string, from: number): boolean => {
  let at = from
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++
  return text[at] === ":"
}

const isExact = (written: string): boolean => {
  const value = Number(written)
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
