/** Rewrites word operators (`and`, `or`, `not`) to those of CEL, outside of strings and comments. */

/** Text with CEL operators in place of word operators, and the original position of each character. */
interface Rewritten {
  readonly text: string
  readonly rewritten: boolean
  readonly origin: (position: number) => number
}

const tokens = new RegExp(
  [
    /(?<string>[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))/,
    /(?<comment>\/\/[^\n]*)/,
    /(?<word>[A-Za-z_][A-Za-z0-9_]*)/,
    /(?<punctuation>&&|\|\||[\s\S])/
  ]
    .map((part) => part.source)
    .join("|"),
  "g"
)

interface Token {
  readonly kind: "string" | "comment" | "word" | "punctuation"
  readonly text: string
  readonly start: number
}

const tokenize = (source: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (const match of source.matchAll(tokens)) {
    const { comment, string, word } = match.groups ?? {}
    const kind =
      string !== undefined ? "string" : comment !== undefined ? "comment" : word !== undefined ? "word" : "punctuation"
    found.push({ kind, text: match[0], start: match.index })
  }
  return found
}

/** An operator of other languages, and the operator to use here. */
interface Foreign {
  readonly start: number
  readonly end: number
  readonly found: string
  readonly hint: string
}

const foreign: Readonly<Record<string, string>> = {
  AND: "write && or and",
  OR: "write || or or",
  NOT: "write ! or not",
  "=": "write == to compare"
}

/** The first operator of another language in a text, outside of strings and comments. */
export const foreignIn = (source: string): Foreign | undefined => {
  const tokens = tokenize(source)
  const at = tokens.findIndex(({ kind, text }, index) => {
    if (kind === "word") return Object.hasOwn(foreign, text.toUpperCase()) && text === text.toUpperCase()
    const isPart = ["=", "!", "<", ">"].includes(tokens[index - 1]?.text ?? "") || tokens[index + 1]?.text === "="
    return kind === "punctuation" && text === "=" && !isPart
  })
  const token = tokens[at]
  if (token === undefined) return undefined
  const { start, text } = token
  return { start, end: start + text.length, found: text, hint: foreign[text] ?? "" }
}

const closers = new Set([")", "]", "}"])
const openers = new Set(["(", "[", "{"])
const terminators = new Set(["&&", "||", "?", ":", ","])

/**
 * Rewrites word operators. `not` takes everything up to the next `and`, `or`,
 * comma, colon or closing bracket, as in Python: `not a == b` is `!(a == b)`.
 */
export const rewrite = (source: string): Rewritten => {
  if (!/\b(?:and|or|not)\b/.test(source)) return { text: source, rewritten: false, origin: (position) => position }
  let text = ""
  let rewritten = false
  let depth = 0
  let previous = ""
  const origins: Array<number> = []
  const open: Array<number> = []
  const emit = (piece: string, start: number) => {
    for (let index = 0; index < piece.length; index++) origins.push(start + index)
    text += piece
  }
  const close = (start: number) => {
    while (open.length > 0 && open[open.length - 1] === depth) {
      open.pop()
      emit(")", start)
    }
  }
  for (const token of tokenize(source)) {
    if (token.kind === "word" && previous !== "." && /^(?:and|or|not)$/.test(token.text)) {
      rewritten = true
      if (token.text === "not") {
        open.push(depth)
        emit("!( ", token.start)
      } else {
        close(token.start)
        emit(token.text === "and" ? "&& " : "||", token.start)
      }
    } else {
      if (token.kind === "punctuation") {
        if (terminators.has(token.text) || closers.has(token.text)) close(token.start)
        if (openers.has(token.text)) depth++
        if (closers.has(token.text)) depth--
      }
      emit(token.text, token.start)
    }
    if (token.text.trim() !== "") previous = token.text
  }
  depth = 0
  close(source.length)
  return { text, rewritten, origin: (position) => origins[position] ?? source.length }
}
