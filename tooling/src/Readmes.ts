/**
 * The examples of READMEs and guides, as modules that a reader would get by copying them.
 *
 * A reader pastes an example into a strict project of their own. So each one has to compile there, and to print what
 * its comments say. A fence that begins with `ts fragment` is a part of a program and is left out.
 */

/** One example: the line where its code begins, counted from 1, and the output that each `console.log` claims. */
export interface Example {
  readonly line: number
  readonly code: string
  readonly prints: ReadonlyArray<string>
}

/** Finds the whole examples of a document. */
export const examplesOf = (markdown: string): ReadonlyArray<Example> => {
  const found: Array<Example> = []
  for (const match of markdown.matchAll(/^```ts(?<kind>[^\n]*)\n(?<code>.*?)^```$/gms)) {
    const { code = "", kind = "" } = match.groups ?? {}
    if (kind.trim() === "fragment") continue
    found.push({ line: markdown.slice(0, match.index).split("\n").length + 1, code, prints: printsOf(code) })
  }
  return found
}

/** Reads the comments beside each `console.log`, or on the line below it. */
const printsOf = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/^ *console\.log\(.*\)(?: |\n *)\/\/ (?<said>.+)$/gm)].map((match) => match.groups?.["said"] ?? "")
