/** A table of results as aligned text, for people. */

/** A cell; without a value it is a dash. */
export type Cell = number | string | null | undefined

/** Aligns the columns of a table, numbers to the right. */
export const table = (title: string, head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string => {
  const texts = rows.map((row) => row.map(show))
  const widths = head.map((name, index) => Math.max(name.length, ...texts.map((row) => row[index]?.length ?? 0)))
  const isNumber = head.map((_, index) => rows.every((row) => typeof row[index] !== "string"))
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((text, index) => (isNumber[index] ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd()
  return [title, line(head), line(widths.map((width) => "-".repeat(width))), ...texts.map(line)].join("\n")
}

const show = (cell: Cell): string => {
  if (cell === null || cell === undefined) return "–"
  if (typeof cell === "string" || Number.isInteger(cell)) return String(cell)
  const size = Math.abs(cell)
  if (size < 0.001) return cell.toExponential(1)
  return cell.toFixed(size < 1 ? 3 : size < 100 ? 2 : 0)
}
