/** The table at the end of a run, for people and for programs. */
import * as Figure from "./Figure.ts"
import type { Machine } from "./Machine.ts"
import * as Statistics from "./Statistics.ts"

/** Writes a table in Markdown, which is readable in a terminal, too. */
export const table = (results: ReadonlyArray<Figure.Measured>): string => {
  const head = ["figure", "measured", "within", "aim", "", "absolute", "durability, ours ÷ theirs"]
  const rows = results.map((result) => {
    const { absent, figure, note } = result
    return [
      figure.title,
      absent ?? value(result),
      mark(figure, figure.within),
      mark(figure, figure.aim),
      Figure.verdict(result),
      note ?? "",
      figure.durability
    ]
  })
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}

/** Writes the machine in one line. */
export const machine = (seen: Machine): string => {
  const { flushMillis, loadBefore, memoryGigabytes, node, platform, processors, sqlite } = seen
  return (
    `${processors}, ${memoryGigabytes} GB, ${platform}, Node ${node}, SQLite ${sqlite}, ` +
    `flush of 4 KiB ${flushMillis} ms, load before ${loadBefore.toFixed(2)}`
  )
}

/** Writes results for programs. */
export const json = (machine: Machine, results: ReadonlyArray<Figure.Measured>) => ({
  machine,
  figures: results.map((result) => ({
    name: result.figure.name,
    title: result.figure.title,
    unit: result.figure.unit,
    better: result.figure.better,
    within: result.figure.within,
    aim: result.figure.aim,
    durability: result.figure.durability,
    ...(result.samples.length === 0 ? {} : Statistics.summarise(result.samples)),
    verdict: Figure.verdict(result),
    note: result.note,
    absent: result.absent
  }))
})

const value = ({ figure, samples }: Figure.Measured): string => {
  const { count, max, median, min } = Statistics.summarise(samples)
  const unit = suffix(figure)
  if (count === 1) return `${Figure.round(median)}${unit}`
  return `${Figure.round(median)}${unit} (${Figure.round(min)}–${Figure.round(max)}, n=${count})`
}

const mark = (figure: Figure.Figure, value: number | undefined): string =>
  value === undefined ? "" : `${figure.better === "more" ? "≥" : "≤"} ${fraction(value)}${suffix(figure)}`

const fraction = (value: number): string => (value > 0 && value < 0.05 ? `1/${Math.round(1 / value)}` : String(value))

const suffix = ({ unit }: Figure.Figure): string =>
  unit === "x" || unit === "/s" ? unit : unit === "per step" ? "" : ` ${unit}`
