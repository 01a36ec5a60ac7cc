/**
 * The rule that only apps and documents name commands of the terminal. All other code gives next steps as verbs,
 * which apps spell.
 */
import * as Modules from "./Modules.ts"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

/**
 * A command: the program, white space, and a word in small letters, a flag or an inserted value. In a comment it may
 * continue on the next line.
 */
const command = /\bbackstitch(?:[ \t]|\n[ \t]*\*?)+(?=[a-z]|--|\$\{)/g

/**
 * Rule: no code outside of apps contains a command of the terminal, in a string, a template, a pattern or a doc
 * comment, including tests. Titles of tests and ordinary comments may.
 */
export function* commands(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (file.home?.startsWith("apps/") === true) continue
    const found = [...file.text.matchAll(command)].filter(({ index }) => !file.text.startsWith("@", index - 1))
    if (found.length === 0) continue
    const free = freeIn(file)
    for (const { index } of found) {
      if (free.some(({ end, start }) => start <= index && index < end)) continue
      const advice = "apps alone have a shell: say it as a verb of wording's Next, or in words, and let them spell it"
      yield file.find("shell command", file.lineAt(index), advice)
    }
  }
  return undefined
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Titles of tests, and ordinary comments. */
const freeIn = (file: SourceFile): ReadonlyArray<Range> => [
  ...file.syntax.comments.filter(({ type, value }) => type === "Line" || !value.startsWith("*")),
  ...Modules.titled(file).map(({ node }) => node)
]
