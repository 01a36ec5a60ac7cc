/**
 * Rows of text in aligned columns.
 *
 * @since 0.1.0
 */
import { stripVTControlCharacters } from "node:util"
import * as Terminal from "./Terminal.ts"

/**
 * Aligns rows. The last column is cut at the edge of the terminal; columns named in `right` are aligned to the right.
 *
 * @category printing
 * @since 0.1.0
 */
export const render = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  options: {
    readonly header?: ReadonlyArray<string>
    readonly right?: ReadonlyArray<number>
    readonly indent?: number
  } = {}
): string => {
  const { header, indent = 0, right = [] } = options
  const lines = rows.map((row) => row.map(Terminal.line))
  const all = header === undefined ? lines : [header.map(Terminal.dim), ...lines]
  const widths: Array<number> = []
  for (const row of all)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, length(cell))
    })
  return all
    .map((row) => {
      const cells = row.map((cell, index) => {
        const gap = " ".repeat(widths[index]! - length(cell))
        return right.includes(index) ? gap + cell : index === row.length - 1 ? cell : cell + gap
      })
      return fit(" ".repeat(indent) + cells.join("  ").trimEnd(), Terminal.width)
    })
    .join("\n")
}

/**
 * Cuts text to a number of visible characters.
 *
 * @category printing
 * @since 0.1.0
 */
export const fit = (given: string, width: number): string => {
  const text = Terminal.line(given)
  if (length(text) <= width) return text
  const plain = stripVTControlCharacters(text)
  // A cut through an escape sequence would colour the rest of the screen.
  return text === plain ? `${[...plain].slice(0, width - 1).join("")}…` : cutStyled(text, width)
}

const length = (text: string): number => [...stripVTControlCharacters(text)].length

const cutStyled = (text: string, width: number): string => {
  let visible = 0
  let cut = ""
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  for (const part of text.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith("\u001b")) {
      cut += part
      continue
    }
    const room = Math.max(0, width - 1 - visible)
    const characters = [...part]
    cut += characters.slice(0, room).join("")
    if (characters.length > room && visible < width) cut += "…"
    visible += characters.length > room ? width : characters.length
  }
  return cut
}
