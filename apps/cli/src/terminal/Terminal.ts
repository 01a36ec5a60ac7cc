/**
 * Output to the person or the program that called: lines, colours, one JSON document, and progress.
 *
 * Answers go to stdout, everything else to stderr. Colour and progress appear
 * on a terminal alone, and `NO_COLOR` is respected.
 */
import { Console } from "node:console"
import { randomInt } from "node:crypto"
import { Writable } from "node:stream"
import { styleText } from "node:util"

/** Tells that stdout shows colours. */
export const canColor: boolean =
  (process.env["NO_COLOR"] ?? "") === "" &&
  (process.stdout.isTTY === true || (process.env["FORCE_COLOR"] ?? "0") !== "0")

type Format = Parameters<typeof styleText>[0]

/** The mark of our own escape sequences until they are printed: none in the text of others can pass for one. */
const mark = `;${[randomInt(1000, 10_000), randomInt(1000, 10_000), randomInt(1000, 10_000)].join(";")}m`

const style = (format: Format): ((text: string) => string) => {
  const [open, close] = styleText(format, "\n", { validateStream: false })
    .split("\n")
    .map((sequence) => sequence.replace(/m$/, mark))
  return (text) => (canColor ? `${open}${text}${close}` : text)
}

/** Text in bold. */
export const bold = style("bold")

/** Text that may be overlooked. */
export const dim = style("dim")

/** Text that says that all is well. */
export const good = style("green")

/** Text that says that something waits or was refused. */
export const wary = style("yellow")

/** Text that says that something is wrong. */
export const bad = style("red")

/** Text that names something. */
export const name = (text: string): string => style("cyan")(line(text))

const wished = Number(process.env["COLUMNS"])

/** Columns of the terminal. Without one, lines are as long as they are, or as long as `COLUMNS` says. */
export const width: number =
  process.stdout.isTTY === true
    ? (process.stdout.columns ?? 120)
    : Number.isInteger(wished) && wished > 0
      ? wished
      : Number.POSITIVE_INFINITY

/** Escape sequences of the styles above: those that this program writes itself. */
const own = new RegExp(`(\u001b\\[\\d{1,2}${mark})`)

/** Characters that a terminal obeys instead of showing: controls, and those that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const shown = (character: string): string =>
  named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

const unmarked = (text: string): string => text.replaceAll(mark, "m")

const plain = (text: string, keeps: string): string =>
  (canColor ? text.split(own) : [text])
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(obeyed, (each) => (keeps.includes(each) ? each : shown(each)))
    )
    .join("")

/**
 * Text as one line that a terminal shows and does not obey. What a model or a tool wrote may hold line breaks, escape
 * sequences and lines that look like ours.
 */
export const line = (text: string): string => plain(text, "")

/** Prints a line of the answer. Line breaks at its ends are blank lines; one within it is shown, as it is not ours. */
export const print = (text = ""): void => {
  const [, before = "", inner = "", after = ""] = /^(\n*)([\s\S]*?)(\n*)$/.exec(text) ?? []
  write(`${before}${unmarked(line(inner))}${after}\n`)
}

/** Prints lines of the answer that were laid out as such. */
export const lines = (text: string): void => write(`${unmarked(plain(text, "\n"))}\n`)

/** Prints part of the answer as it is, byte for byte. */
export const write = (text: string): void => void (isClosed || answer(text))

/** Stdout as a stream, for an answer that is written as it comes. */
export const stream = (): Writable =>
  new Writable({
    write: (chunk, _, written) => {
      answer(chunk, (error) => written(error))
    }
  })

/** Prints lines beside the answer. */
export const note = (text: string): void => void process.stderr.write(`${unmarked(plain(text, "\n\t"))}\n`)

/** Stdout as it is; once it is reserved, the only way there. */
let answer = (text: string | Uint8Array, written?: (error?: Error | null) => void): boolean =>
  process.stdout.write(text, written)

let isClosed = false
let isActing = false

/**
 * Keeps stdout for the answer: what code of an agent prints goes to stderr. A reader that has seen enough, such as
 * `head`, ends a command that only reads; one that acts goes on unseen. `ending` is called before the process ends.
 */
export const reserve = (ending: () => void): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (isClosed) return
    isClosed = true
    if (!isActing) ending()
    if (error.code === "EPIPE" && !isActing) process.exit(process.exitCode ?? 0)
    if (error.code !== "EPIPE") {
      complain(`the answer could not be written: ${error.message}`)
      if (!isActing) process.exit(1)
    }
  })
  // Nobody is left to be told.
  process.stderr.on("error", () => {})
  answer = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  globalThis.console = new Console(process.stderr, process.stderr)
}

/** Says that from here on something is done, which does not end because nobody reads of it. */
export const acting = (): void => {
  isActing = true
}

/** Prints what went wrong. */
export const complain = (message: string): void => note(`backstitch: ${message}`)

/**
 * Prints the one document of `--json`. Where one was begun, its fields end that one: what went wrong on the way is told
 * in the document in which it did.
 */
export const document = (value: object): void => {
  if (items === undefined) write(`${json(value, process.stdout.isTTY === true ? 2 : undefined)}\n`)
  else write(`\n],${json(value).slice(1)}\n`)
  items = undefined
}

/** Prints one of many documents of `--json`, each on a line of its own. */
export const record = (value: object): void => write(`${json(value)}\n`)

/** Begins the one document of `--json`, whose last field is a list that is written as it comes: it may be large. */
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

/** The number of entries of the list that the document has begun and not ended. */
let items: number | undefined

const json = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(obeyed, (each) => (each === "\n" ? each : shown(each)))

/** A bar for work that takes long. It shows on a terminal alone, after a moment, and leaves nothing behind. */
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
