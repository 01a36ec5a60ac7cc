/**
 * A lexicon of marks: each sentence and phrase is replaced by its path in the lexicon, followed by its arguments in
 * brackets.
 *
 * Any readable text in a report with this lexicon did not come from a lexicon: it is a name, a value, a text of a
 * person or a provider, or a sentence that cannot be replaced.
 *
 * **Example** (A mark in the place of a sentence)
 *
 * ```ts import.meta.vitest
 * import { English, PseudoWords, Wording } from "@backstitch/wording"
 *
 * Wording.status("success", PseudoWords.of(English.words)).user // => "⟦statuses.success.user⟧"
 * ```
 */
import type { Next } from "./said/Next.ts"
import type { Said } from "./said/Said.ts"
import type { Words } from "./said/Words.ts"

/**
 * Replaces every text of a lexicon by its path, and every text that a function of it returns by the path of the
 * function.
 */
export const of = (words: Words): Words => marked(words as object as Tree, "") as object as Words

/** Tells whether a text holds a mark. */
export const isMarked = (text: string): boolean => mark.test(text)

/** The text without its marks. */
export const unmarked = (text: string): string => text.replaceAll(new RegExp(mark, "g"), "")

const mark = /⟦[\w.]+⟧/

/** A group of the lexicon, or a leaf of it. */
type Tree = string | { readonly [name: string]: Tree } | ((...args: ReadonlyArray<unknown>) => Made)

/** Texts by the names of the facts that they state. */
type Texts = { readonly [name: string]: string }

/** An answer of a function of a lexicon; a verb that leaves all to the words of its step answers no text. */
type Made = string | Said | Texts

const marked = (tree: Tree, path: string): Tree => {
  if (typeof tree === "string") return markedText(tree, path)
  if (typeof tree === "function") {
    return (...args) => {
      const made = tree(...args)
      const [first] = args
      if (isSaid(made)) return markedSaid(made, path, textsIn(first))
      const given = textsIn(args)
      if (typeof made !== "string") return markedTexts(made, path, given)
      return `${markedText(made, path)}${made === "" || given.length === 0 ? "" : `(${given.join("|")})`}`
    }
  }
  return Object.fromEntries(
    Object.entries(tree).map(([name, each]) => [name, marked(each, path === "" ? name : `${path}.${name}`)])
  )
}

const markedText = (text: string, path: string): string => (text === "" ? "" : `⟦${path}⟧`)

const markedSaid = ({ next, what, why }: Said, path: string, given: ReadonlyArray<string>): Said => ({
  next: next.map((step) => markedStep(step, path)),
  what: `${markedText(what, path)}${given.length === 0 ? "" : `(${given.join("|")})`}`,
  ...(why === undefined ? {} : { why: markedText(why, path) })
})

const isSaid = (made: Made): made is Said => typeof made === "object" && Array.isArray(made["next"])

const markedTexts = (made: Texts, path: string, given: ReadonlyArray<string>): Texts =>
  Object.fromEntries(
    Object.entries(made).map(([name, text]) => [name, `${markedText(text, `${path}.${name}`)}(${given.join("|")})`])
  )

/** Lists the texts in the arguments of a function. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const markedStep = (step: Next, path: string): Next => ({
  ...step,
  ...(step.words === undefined ? {} : { words: markedText(step.words, path) }),
  ...(step.or === undefined ? {} : { or: step.or.map((each) => markedStep(each, path)) })
})
