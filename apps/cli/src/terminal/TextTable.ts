/**
 * Rows of text for a terminal of any width: as aligned columns, as wrapped columns, or as one block per row.
 *
 * Nothing is dropped because a line is short. A column that may be shortened says where the whole value is shown.
 */
import * as Limits from "../Limits.ts"
import * as Terminal from "./Terminal.ts"
import * as Wrapping from "./Wrapping.ts"

/**
 * A column. A `whole` cell is a command, on one line, so that it can be copied. A cell of a column with `see` may be
 * shortened on a narrow terminal, and `see` says where all of it is shown.
 */
export interface Column {
  readonly name: string
  readonly right?: boolean
  readonly whole?: boolean
  readonly see?: string
}

/** A column of numbers. */
export const number = (name: string): Column => ({ name, right: true })

/** A column of commands. */
export const command = (name: string): Column => ({ name, whole: true })

/** Names of the columns, if there are any, and the indentation of the table: every line begins with `rail`. */
export interface Options {
  readonly header?: ReadonlyArray<string | Column>
  readonly rail?: string
  readonly width?: number
}

/**
 * Prints a sentence after its label, broken between words and indented by the label. A command is printed on a line
 * of its own.
 */
export const sentence = (label: string, text: string): void => {
  const indent = Wrapping.width(label) + (label === "" ? 0 : 1)
  const [first = "", ...rest] = Wrapping.wrap(Terminal.line(text), Terminal.width - indent)
  Terminal.print(label === "" ? first : `${label} ${first}`)
  for (const line of rest) Terminal.print(`${" ".repeat(indent)}${line}`)
}

/** Prints rows. */
export const print = (rows: ReadonlyArray<ReadonlyArray<string>>, options: Options = {}): void => {
  if (rows.length > 0) Terminal.lines(render(rows, options))
}

/**
 * Lays rows out: as columns if they fit, with the last one wrapped if it stays readable, and otherwise as one block
 * per row.
 */
export const render = (rows: ReadonlyArray<ReadonlyArray<string>>, options: Options = {}): string => {
  const { header, rail = "", width = Terminal.width } = options
  const columns = columnsOf(rows, header)
  const room = width - Wrapping.width(rail)
  const cells = rows.map((row) => row.map(Terminal.line))
  const named = header === undefined ? cells : [columns.map(({ name }) => Terminal.dim(name)), ...cells]
  const natural = columns.map((_, index) => Math.max(0, ...named.map((row) => Wrapping.width(row[index] ?? ""))))
  const isTight = sum(natural) > room
  const most = natural.map((each, index) =>
    isTight && columns[index]?.see !== undefined ? Limits.showing.readableColumnsMin : each
  )
  const needed = natural.map((each, index) => Math.min(each, most[index]!))
  const widths = fitted(columns, needed, room)
  if (widths === undefined) {
    const laid =
      header === undefined ? cells.flatMap((row) => stacked(row, { columns, room })) : blocks(cells, { columns, room })
    return railed(laid, rail)
  }
  const cut = named.map((row) => row.map((cell, index) => Wrapping.cut(cell, most[index]!)))
  const notes = columns.flatMap(({ name, see }, index) =>
    needed[index]! < natural[index]! ? Wrapping.wrap(Terminal.dim(`${name} is cut here: ${see}`), room) : []
  )
  return railed([...cut.flatMap((row) => aligned(row, { columns, widths })), ...notes], rail)
}

const railed = (lines: ReadonlyArray<string>, rail: string): string =>
  lines.map((line) => `${rail}${line}`.trimEnd()).join("\n")

const gap = "  "

const sum = (widths: ReadonlyArray<number>): number =>
  widths.reduce((total, each) => total + each, 0) + gap.length * Math.max(0, widths.length - 1)

const columnsOf = (rows: ReadonlyArray<ReadonlyArray<string>>, header: Options["header"]): ReadonlyArray<Column> =>
  header?.map((column) => (typeof column === "string" ? { name: column } : column)) ??
  Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, () => ({ name: "" }))

/**
 * The width of each column. If they are too wide together, the last one is narrowed: its wrapped text can be read and
 * copied as one piece. `undefined` if that is not enough.
 */
const fitted = (
  columns: ReadonlyArray<Column>,
  natural: ReadonlyArray<number>,
  room: number
): ReadonlyArray<number> | undefined => {
  const over = sum(natural) - room
  if (over <= 0) return natural
  const last = natural.at(-1)! - over
  return last < Limits.showing.readableColumnsMin || columns.at(-1)?.whole === true ? undefined : natural.with(-1, last)
}

/** A row as columns, with as many lines as its longest cell needs. */
const aligned = (
  row: ReadonlyArray<string>,
  { columns, widths }: { readonly columns: ReadonlyArray<Column>; readonly widths: ReadonlyArray<number> }
): ReadonlyArray<string> => {
  const cells = widths.map((width, index) => Wrapping.wrap(row[index] ?? "", width))
  return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) =>
    cells
      .map((lines, index) => {
        const text = lines[line] ?? ""
        const space = " ".repeat(widths[index]! - Wrapping.width(text))
        return columns[index]?.right === true ? space + text : text + space
      })
      .join(gap)
      .trimEnd()
  )
}

/** Rows as blocks: each cell beside the name of its column, or below it if a command needs the line. */
const blocks = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { columns, room }: { readonly columns: ReadonlyArray<Column>; readonly room: number }
): ReadonlyArray<string> => {
  const label = Math.max(...columns.map(({ name }) => Wrapping.width(name)))
  const margin = " ".repeat(label) + gap
  return rows.flatMap((row, place) => [
    ...(place === 0 ? [] : [""]),
    ...columns.flatMap(({ name, whole }, index) => {
      const cell = row[index] ?? ""
      if (cell === "") return []
      const head = `${Terminal.dim(name)}${" ".repeat(label - Wrapping.width(name))}${gap}`
      if (whole === true && Wrapping.width(cell) > room - margin.length) return [head, cell]
      return Wrapping.wrap(cell, room - margin.length).map((line, at) => (at === 0 ? head : margin) + line)
    })
  ])
}

/** A row without names as a text, in its order; a command has a line of its own. */
const stacked = (
  row: ReadonlyArray<string>,
  { columns, room }: { readonly columns: ReadonlyArray<Column>; readonly room: number }
): ReadonlyArray<string> => {
  const isWhole = (index: number): boolean => columns[index]?.whole === true
  const text = row.filter((cell, index) => cell !== "" && !isWhole(index)).join(gap)
  const lines = Wrapping.wrap(text, room - indent).map((line, at) => (at === 0 ? line : " ".repeat(indent) + line))
  return [...lines, ...row.filter((cell, index) => cell !== "" && isWhole(index))]
}

/** The indentation of lines below a row. */
const indent = 4
