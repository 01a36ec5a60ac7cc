/**
 * What reaches the person or the program in front of us: lines, colours, one JSON document, and progress.
 *
 * Answers go to stdout, everything else to stderr. Colour and progress appear
 * on a terminal alone, and `NO_COLOR` is respected.
 *
 * @since 0.1.0
 */
import { styleText } from "node:util"

/**
 * Whether stdout shows colours.
 *
 * @category constants
 * @since 0.1.0
 */
export const canColor: boolean =
  (process.env["NO_COLOR"] ?? "") === "" &&
  (process.stdout.isTTY === true || (process.env["FORCE_COLOR"] ?? "0") !== "0")

type Format = Parameters<typeof styleText>[0]

const style =
  (format: Format) =>
  (text: string): string =>
    canColor ? styleText(format, text, { validateStream: false }) : text

/**
 * Text in bold.
 *
 * @category styles
 * @since 0.1.0
 */
export const bold = style("bold")

/**
 * Text that may be overlooked.
 *
 * @category styles
 * @since 0.1.0
 */
export const dim = style("dim")

/**
 * Text that says that all is well.
 *
 * @category styles
 * @since 0.1.0
 */
export const good = style("green")

/**
 * Text that says that something waits or was refused.
 *
 * @category styles
 * @since 0.1.0
 */
export const wary = style("yellow")

/**
 * Text that says that something is wrong.
 *
 * @category styles
 * @since 0.1.0
 */
export const bad = style("red")

/**
 * Text that names something.
 *
 * @category styles
 * @since 0.1.0
 */
export const name = style("cyan")

/**
 * Columns of the terminal; without one, lines are as long as they are.
 *
 * @category constants
 * @since 0.1.0
 */
export const width: number = process.stdout.isTTY === true ? (process.stdout.columns ?? 120) : Number.POSITIVE_INFINITY

/**
 * Prints a line of the answer.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (text = ""): void => void process.stdout.write(`${text}\n`)

/**
 * Prints part of the answer as it is.
 *
 * @category printing
 * @since 0.1.0
 */
export const write = (text: string): void => void process.stdout.write(text)

/**
 * Prints a line beside the answer.
 *
 * @category printing
 * @since 0.1.0
 */
export const note = (text: string): void => void process.stderr.write(`${text}\n`)

/**
 * Prints what went wrong.
 *
 * @category printing
 * @since 0.1.0
 */
export const complain = (message: string): void => note(`backstitch: ${message}`)

/**
 * Prints the one document of `--json`.
 *
 * @category printing
 * @since 0.1.0
 */
export const document = (value: unknown): void =>
  print(JSON.stringify(value, null, process.stdout.isTTY === true ? 2 : undefined))

/**
 * A bar for work that takes long. It shows on a terminal alone, after a moment, and leaves nothing behind.
 *
 * @category printing
 * @since 0.1.0
 */
export interface Progress {
  readonly at: (done: number, of?: number) => void
  readonly end: () => void
}

/**
 * Begins a bar.
 *
 * @category printing
 * @since 0.1.0
 */
export const progress = (label: string): Progress => {
  if (process.stderr.isTTY !== true) return { at: () => {}, end: () => {} }
  const began = performance.now()
  let last = began
  let shown = false
  return {
    at: (done, of) => {
      const now = performance.now()
      if (now - began < 300 || now - last < 60) return
      last = now
      shown = true
      process.stderr.write(`\r${label} ${of === undefined ? done : `${bar(done / Math.max(1, of))} ${done} of ${of}`} `)
    },
    end: () => {
      if (shown) process.stderr.write("\r\u001b[2K")
    }
  }
}

const bar = (part: number): string => {
  const filled = Math.floor(Math.min(1, part) * 24)
  return "━".repeat(filled) + "─".repeat(24 - filled)
}
