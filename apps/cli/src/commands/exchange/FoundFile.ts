/** Says of a file that is no run what it is instead, by its beginning, and which command takes it. */
import type { Beginning } from "@backstitch/importers/FormatGuess"

/** A file that was named in place of another: its description, and what to do with it, if a command takes it. */
export interface FoundFile {
  readonly is: string
  readonly takes?: string
}

/** Tells whether a file begins like an export, so that its own error says more. */
export const isExport = ({ text }: Beginning): boolean => /^\ufeff?\{[^\n]*"format" ?: ?"backstitch-trace"/.test(text)

/** Describes a file that is no export. A file that begins like a transition is an export without its first line. */
export const of = ({ isWhole, text }: Beginning): FoundFile => {
  if (text.trim() === "") return { is: isWhole ? "empty" : "blank at its beginning" }
  if (text.startsWith("SQLite format 3\0"))
    return { is: "a store, or another database", takes: "--store names a store" }
  if (/[\0\ufffd]/.test(text)) return { is: "no text in UTF-8" }
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "")
  const whole = isWhole ? parsed(text) : undefined
  const value = whole ?? parsed(first)
  const names = value === undefined ? [] : Object.keys(value)
  if (isPack(text, names))
    return { is: "a pack", takes: "`pack check` checks one, and `import --pack` reads a record by it" }
  if (["body", "link", "story"].every((name) => names.includes(name))) {
    return { is: "a part of an export, without its first line", takes: "copy or export it again" }
  }
  if (value === undefined) return { is: "text that is not JSON" }
  if (Array.isArray(value)) return { is: "a list in JSON" }
  const fields = names.length === 0 ? "no field" : names.slice(0, shown).join(", ")
  const lines = whole === undefined && more.length > 0 ? "lines of JSON, of which the first has" : "JSON with"
  return { is: `${lines} ${fields}${names.length > shown ? ", ..." : ""}` }
}

/** The number of fields that are named. */
const shown = 4

const isPack = (text: string, names: ReadonlyArray<string>): boolean =>
  (names.includes("pack") && names.includes("version")) || (/^pack: /m.test(text) && /^version: /m.test(text))

const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
