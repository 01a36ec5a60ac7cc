/**
 * Reads a file. A file that was shown as a whole is known from then on: from the recording, or from the text that the
 * agent was given, whose lines are numbered. Long lines are cut in that text; if one may be cut, the file remains
 * unknown.
 */
import type { Call, Changes } from "../World.ts"

type Args = { readonly file_path: string; readonly offset?: number; readonly limit?: number }

type Shown = {
  readonly file?: { readonly content?: string; readonly numLines?: number; readonly totalLines?: number }
}

export default ({ args, observed, shown, world }: Call<Args, Shown>): Changes => {
  const known = (content: string): Changes => ({ world: { files: world.files.set(args.file_path, { content }) } })
  const { content, numLines, totalLines } = shown?.file ?? {}
  if (typeof content === "string") return numLines === totalLines ? known(content) : {}
  if (typeof observed !== "string" || args.offset !== undefined || args.limit !== undefined) return {}
  const text = observed.split("\n\n<system-reminder>")[0] ?? ""
  const lines: Array<string> = []
  for (const line of text.split("\n")) {
    const [, number, rest] = /^ *(\d+)\u2192(.*)$/.exec(line) ?? []
    // A text that is no file, or in which lines or parts of lines are missing.
    if (rest === undefined || Number(number) !== lines.length + 1 || rest.length >= 2000) return {}
    lines.push(rest)
  }
  return lines.length >= 2000 ? {} : known(lines.join("\n"))
}
