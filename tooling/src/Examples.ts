/**
 * Rule on the examples in comments of modules: each is complete, and imports its names from packages by their names.
 *
 * A separate test runs the examples. This rule finds a rename or a move that changed only half of a comment, before
 * that.
 */
import type { Finding, Repository } from "./Repository.ts"

/** One example and its place. */
export interface Example {
  readonly title: string
  /** The line in its file where the code begins, counted from 1. */
  readonly line: number
  readonly code: ReadonlyArray<string>
}

/** Finds the examples of one source file. */
export const examplesOf = (source: string): ReadonlyArray<Example> => {
  const found: Array<Example> = []
  let title: string | undefined
  let open: { readonly line: number; readonly code: Array<string> } | undefined
  for (const [index, line] of source.split("\n").entries()) {
    const text = /^\s*\* ?(?<text>.*)$/.exec(line)?.groups?.["text"]
    if (text === undefined) {
      open = undefined
      title = undefined
    } else if (open !== undefined) {
      if (text.trimEnd() === "```") {
        found.push({ title: title ?? `line ${open.line}`, ...open })
        open = undefined
        title = undefined
      } else open.code.push(text)
    } else if (text.startsWith("```ts import.meta.vitest")) {
      open = { line: index + 2, code: [] }
    } else {
      title = /^\*\*Example\*\* \((?<title>.+)\)$/.exec(text.trimEnd())?.groups?.["title"] ?? title
    }
  }
  return found
}

const fence = /^ *\* ```ts import\.meta\.vitest$/

/** Rule: an example in a comment is complete, and imports each module that it names from a package. */
export function* examples(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!file.isModule) continue
    const found = new Map(examplesOf(file.text).map(({ code, line }) => [line, code]))
    for (const [index, text] of file.lines.entries()) {
      if (!fence.test(text)) continue
      const code = found.get(index + 2)
      if (code === undefined) {
        yield file.find("examples", index + 1, "a line of the example is no line of the comment: begin each with *")
        continue
      }
      for (const advice of adviceFor(code)) yield file.find("examples", index + 1, advice)
    }
  }
  return undefined
}

const adviceFor = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const code = lines.join("\n").replaceAll(/\/\/.*$/gm, "")
  const imports = [...code.matchAll(/^import (?:type )?(.+?) from "([^"]+)"$/gm)]
  const names = imports.flatMap(([, what = ""]) => what.match(/[A-Za-z_$][\w$]*/g) ?? [])
  const bare = code.replaceAll(/^import .*$/gm, "").replaceAll(/"(?:[^"\\\n]|\\.)*"|`[^`]*`/g, '""')
  const used = [...bare.matchAll(/(?<![\w$.])([A-Z][\w$]*)\.(?=[\w$])/g)].map(([, name]) => name!)
  const unbound = [...new Set(used)].filter(
    (name) => !names.includes(name) && !(name in globalThis) && !new RegExp(`\\b(?:const|class) ${name}\\b`).test(bare)
  )
  return [
    ...imports.flatMap(([, , specifier = ""]) =>
      specifier.startsWith(".") ? [`"${specifier}" is no name of a package: a reader cannot import it`] : []
    ),
    ...unbound.map((name) => `the example names ${name} and does not import it`)
  ]
}
