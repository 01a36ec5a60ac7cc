/**
 * Output to the person or the program that called: lines, colours, one JSON document, and progress.
 *
 * Answers go to stdout, all other output to stderr. Colour and progress appear only on a terminal, and `NO_COLOR` is
 * respected.
 */
import { Console } from "node:console"
import { randomInt } from "node:crypto"
import { Writable } from "node:stream"
import { styleText } from "node:util"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as ShownText from "@backstitch/wording/ShownText"
import * as ExitCode from "./ExitCode.ts"

/** Tells whether stdout shows colours. */
export const canColor: boolean =
  (process.env["NO_COLOR"] ?? "") === "" &&
  (process.stdout.isTTY === true || (process.env["FORCE_COLOR"] ?? "0") !== "0")

type Format = Parameters<typeof styleText>[0]

/**
 * The mark of this program's own escape sequences until they are printed, so that none in other text is taken for
 * one.
 */
const mark = `;${[randomInt(1000, 10_000), randomInt(1000, 10_000), randomInt(1000, 10_000)].join(";")}m`

const style = (format: Format): ((text: string) => string) => {
  const [open, close] = styleText(format, "\n", { validateStream: false })
    .split("\n")
    .map((sequence) => sequence.replace(/m$/, mark))
  return (text) => (canColor ? `${open}${text}${close}` : text)
}

/** Text in bold. */
export const bold = style("bold")

/** Less important text. */
export const dim = style("dim")

/** Text about a success. */
export const good = style("green")

/** Text about something that waits or was refused. */
export const wary = style("yellow")

/** Text about an error. */
export const bad = style("red")

/** Text that is a name. */
export const name = (text: string): string => style("cyan")(line(text))

const wished = Number(process.env["COLUMNS"])

/** Columns of the terminal. Without a terminal, lines are not wrapped, or are as long as `COLUMNS` says. */
export const width: number =
  process.stdout.isTTY === true
    ? (process.stdout.columns ?? 120)
    : Number.isInteger(wished) && wished > 0
      ? wished
      : Number.POSITIVE_INFINITY

/** Escape sequences of the styles above, which this program writes itself. */
const own = new RegExp(`(\u001b\\[\\d{1,2}${mark})`)

const unmarked = (text: string): string => text.replaceAll(mark, "m")

const plain = (text: string, keeps: string): string =>
  (canColor ? text.split(own) : [text])
    .map((part, index) => (index % 2 === 1 ? part : ShownText.shown(part, keeps)))
    .join("")

/**
 * Makes text one line that a terminal shows and does not obey. Text of a model or a tool may contain line breaks,
 * escape sequences and lines that look like those of this program.
 */
export const line = (text: string): string => plain(text, "")

/** The text without the styles of this program, whose line breaks are kept, and every other control is shown. */
export const unstyled = (text: string): string =>
  ShownText.shown(
    text
      .split(own)
      .filter((_, index) => index % 2 === 0)
      .join(""),
    "\n"
  )

/**
 * Prints a line of the answer. Line breaks at its ends are blank lines; one inside is shown as a character, since it
 * comes from outside.
 */
export const print = (text = ""): void => {
  const [, before = "", inner = "", after = ""] = /^(\n*)([\s\S]*?)(\n*)$/.exec(text) ?? []
  write(`${before}${unmarked(line(inner))}${after}\n`)
}

/** Prints lines of the answer that were laid out already. */
export const lines = (text: string): void => write(`${unmarked(plain(text, "\n"))}\n`)

/** Prints part of the answer unchanged, byte for byte. */
export const write = (text: string): void => void (isClosed || answer(text))

/** Stdout as a stream, for an answer that is written in parts. */
export const stream = (): Writable =>
  new Writable({
    write: (chunk, _, written) => {
      answer(chunk, (error) => written(error))
    }
  })

/** Prints lines outside of the answer, on stderr. */
export const note = (text: string): void => void process.stderr.write(`${unmarked(plain(text, "\n\t"))}\n`)

/** The original stdout; once it is reserved, the only way to write to it. */
let answer = (text: string | Uint8Array, written?: (error?: Error | null) => void): boolean =>
  process.stdout.write(text, written)

let isClosed = false
let isActing = false

/**
 * Keeps stdout for the answer: output of an agent's code goes to stderr. A reader that stops, such as `head`, ends a
 * command that only reads; a command that acts continues without output. `ending` is called before the process ends.
 */
export const reserve = (ending: () => void): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (isClosed) return
    isClosed = true
    if (!isActing) ending()
    if (error.code === "EPIPE" && !isActing) process.exit(process.exitCode ?? 0)
    if (error.code !== "EPIPE") {
      complain(`the answer could not be written: ${FileProblem.say(error)}`)
      if (!isActing) process.exit(ExitCode.failure)
    }
  })
  // No reader of errors is left.
  process.stderr.on("error", () => {})
  answer = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  globalThis.console = new Console(process.stderr, process.stderr)
}

/** Marks the command as acting: it no longer ends because its reader has. */
export const acting = (): void => {
  isActing = true
}

/** Prints an error. */
export const complain = (message: string): void => note(`backstitch: ${message}`)

/**
 * Prints the one document of `--json`. If one was begun, these fields end it, so that an error is in the document in
 * which it happened.
 */
export const document = (value: object): void => {
  if (items === undefined) write(`${json(value, process.stdout.isTTY === true ? 2 : undefined)}\n`)
  else write(`\n],${json(value).slice(1)}\n`)
  items = undefined
}

/** Prints one of many documents of `--json`, each on its own line. */
export const record = (value: object): void => write(`${json(value)}\n`)

/**
 * Begins the one document of `--json`, whose last field is a list. The list is written entry by entry, because it may
 * be large.
 */
export const begin = (fields: object, list: string): void => {
  items = 0
  write(`${json(fields).slice(0, -1)},${json(list)}:[`)
}

/** Prints the next entry of the list of a document that was begun. */
export const item = (value: object): void => {
  write(`${items === 0 ? "" : ","}\n${json(value)}`)
  items = (items ?? 0) + 1
}

/** Ends a document that was begun. */
export const end = (): void => {
  items = undefined
  write("\n]}\n")
}

/** The number of entries in the list of the open document. */
let items: number | undefined

const json = (value: unknown, space?: number): string => ShownText.shown(JSON.stringify(value, null, space), "\n")

/** A bar for long work. It appears only on a terminal, after a moment, and is removed at the end. */
export interface Progress {
  readonly at: (done: number, of?: number) => void
  readonly end: () => void
}

/** Begins a bar. */
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
