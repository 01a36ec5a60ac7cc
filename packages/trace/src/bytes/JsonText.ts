/**
 * Reads JSON text, without a defect of `JSON.parse` in V8.
 *
 * `JSON.parse` of V8 12.8 and later, and so of Node 24, reads an escaped key wrongly if another object of the process
 * had a key that begins with a backslash: after `{"\\":1}`, the text `{"\n":1}` gives the key `\`. Then the digest of
 * a value would depend on what its process read before, and a fold, a request or a chain could differ between two
 * processes. Traces, packs, imports and functions of packs are read here: by the engine if no key is escaped, and
 * otherwise key by key. The HTTP library reads the body of a request to a server, with `JSON.parse`.
 *
 * @source Node.js, issue 63785
 */

/**
 * Reads JSON text. Throws `SyntaxError` for other text.
 *
 * **Details**
 *
 * Keys, their order and repeated keys come out as ECMAScript says for `JSON.parse`. Text with an escaped key is read
 * level by level. For text from outside, `Canonical.parse` limits the depth first.
 *
 * **Example** (Reading a key that is escaped)
 *
 * ```ts import.meta.vitest
 * import { JsonText } from "@backstitch/trace"
 *
 * JsonText.read('{"\\\\":1}')
 * JsonText.read('{"\\n":1}') // => { "\n": 1 }
 * ```
 */
export const read = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? new Reader(text).value() : value
}

/**
 * A value as JSON carries it: without functions and fields that are `undefined`, and with the results of `toJSON`.
 * `change` is the second argument of `JSON.stringify`.
 */
export const carried = (value: unknown, change?: (key: string, value: unknown) => unknown): unknown =>
  read(JSON.stringify(value, change) ?? "null")

/**
 * A value with each of its parts replaced by the result of `change`, the innermost first, like the second argument of
 * `JSON.parse`. A field for which `change` returns `undefined` is left out.
 */
export const revived = (value: unknown, change: (key: string, value: unknown) => unknown): unknown => {
  const enter = (key: string, part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return change(key, part)
    const holder = part as Record<string, unknown>
    for (const inner of Object.keys(holder)) {
      const changed = enter(inner, holder[inner])
      if (changed === undefined) delete holder[inner]
      else setField(holder, inner, changed)
    }
    return change(key, part)
  }
  return enter("", value)
}

/** Tells whether a string with a backslash is followed by a colon. Most texts have no backslash. */
const hasEscapedKey = (text: string): boolean => {
  let at = text.indexOf("\\")
  while (at !== -1) {
    const end = closingQuote(text, at)
    let next = end + 1
    while (isSpace(text.charCodeAt(next))) next++
    if (text[next] === ":") return true
    at = text.indexOf("\\", end)
  }
  return false
}

/** The position of the unescaped quote that closes a string, from a position within the string. */
const closingQuote = (text: string, from: number): number => {
  let at = from
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09

/** Sets an own field of any name: an assignment to `__proto__` would change the prototype. */
export const setField = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== "__proto__") object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

const scalar = /[^\s,:[\]{}]+/y

/** Reads text that is known to be JSON: each string and each scalar alone, so that the engine reads none as a key. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): unknown {
    switch (this.#peek()) {
      case "{":
        return this.#object()
      case "[":
        return this.#list()
      case '"':
        return this.#string()
      default:
        scalar.lastIndex = this.#at
        return JSON.parse(this.#take(scalar.exec(this.#text)?.[0].length ?? 0))
    }
  }

  #object(): Record<string, unknown> {
    const fields: Record<string, unknown> = {}
    if (this.#opens("}")) return fields
    do {
      const key = this.#string()
      this.#mark()
      setField(fields, key, this.value())
    } while (this.#mark() === ",")
    return fields
  }

  #list(): ReadonlyArray<unknown> {
    const items: Array<unknown> = []
    if (this.#opens("]")) return items
    do items.push(this.value())
    while (this.#mark() === ",")
    return items
  }

  /** Reads the opening bracket. Tells whether the closing one follows, and reads that, too. */
  #opens(close: string): boolean {
    this.#mark()
    const isEmpty = this.#peek() === close
    if (isEmpty) this.#mark()
    return isEmpty
  }

  #string(): string {
    this.#peek()
    return JSON.parse(this.#take(closingQuote(this.#text, this.#at + 1) + 1 - this.#at))
  }

  /** The next character that is no white space. */
  #peek(): string | undefined {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text[this.#at]
  }

  #mark(): string | undefined {
    const mark = this.#peek()
    this.#at++
    return mark
  }

  #take(length: number): string {
    const start = this.#at
    this.#at += length
    return this.#text.slice(start, this.#at)
  }
}
