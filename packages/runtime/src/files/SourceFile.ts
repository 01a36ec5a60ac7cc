/**
 * Reads files by other authors as a stream, within declared limits.
 *
 * A file of a few kilobytes can demand all the memory of a machine: as gzip, as one line, or as nested brackets. So
 * each limit is declared, counted while the file is read, and named in the refusal before the data are used. A larger
 * file from a trusted source is read under limits that its user raises.
 */
import { isUtf8 } from "node:buffer"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { pipeline } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { createGunzip } from "node:zlib"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Export from "@backstitch/trace/Export"
import * as TraceLimits from "@backstitch/trace/Limits"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { refusing } from "../Limits.ts"

/**
 * Limits of a file.
 *
 * | limit | counts |
 * | --- | --- |
 * | `file` | bytes of the file, as it lies on the disk |
 * | `text` | bytes of its text, unpacked |
 * | `ratio` | bytes of text per byte of a packed file |
 * | `line` | bytes of one line |
 * | `values` | values in one line, or in a document without lines |
 * | `lineage` | ancestors that an export names |
 * | `transitions` | transitions that the file holds, or that its recordings turn into |
 */
export interface Limits {
  readonly file: number
  readonly text: number
  readonly ratio: number
  readonly line: number
  readonly values: number
  readonly lineage: number
  readonly transitions: number
}

const { levelsMax } = TraceLimits.deciding

const mebibyte = 1 << 20

/** The default limits. */
export const defaults: Limits = {
  file: refusing.fileBytesMax,
  text: refusing.textBytesMax,
  ratio: refusing.unpackedRatioMax,
  line: refusing.lineBytesMax,
  values: refusing.documentValuesMax,
  ...Export.limits
}

/** The limits in force. */
export const Limits = Context.Reference<Limits>("@backstitch/runtime/SourceFile/Limits", {
  defaultValue: () => defaults
})

/** Error for a file that exceeds a limit. Only `levels` of nesting cannot be raised. */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>("@backstitch/runtime/LimitExceeded")(
  "LimitExceeded",
  {
    file: Schema.String,
    limit: Schema.Literals(["file", "text", "ratio", "line", "values", "lineage", "transitions", "levels"]),
    max: Schema.Natural,
    line: Schema.optionalKey(Schema.Natural)
  }
) {
  override get message(): string {
    const place = this.line === undefined ? this.file : `${this.file}:${this.line}`
    const remedy = this.limit === "levels" ? "Flatten it" : `Raise the limit "${this.limit}" if you trust the file`
    return `${place} ${words[this.limit](this.max)}. Nothing was read in. ${remedy}`
  }
}

const size = (bytes: number): string => (bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${bytes} bytes`)

const words: Readonly<Record<LimitExceeded["limit"], (max: number) => string>> = {
  file: (max) => `is larger than ${size(max)}`,
  text: (max) => `comes to more than ${size(max)} of text`,
  ratio: (max) => `unpacks to more than ${max} times its size`,
  line: (max) => `holds a line of more than ${max} bytes`,
  values: (max) => `holds more than ${max} values in one document`,
  lineage: (max) => `names more than ${max} ancestors`,
  transitions: (max) => `comes to more than ${max} transitions`,
  levels: (max) => `nests more than ${max} levels deep`
}

/** A line without its end; only the last line of a file may lack one. `number` counts from 1. */
export interface Line {
  readonly number: number
  readonly text: string
  readonly isEnded?: boolean
}

/** Error for bytes that are no text. */
export class NotText extends Schema.TaggedError<NotText>("@backstitch/runtime/NotText")("NotText", {
  line: Schema.Natural
}) {
  override get message(): string {
    return `Line ${this.line} holds bytes that are not UTF-8. Copy the file again, or write it in UTF-8`
  }
}

/**
 * Reads bytes as exactly the text that they are. A replacement character for invalid bytes would make two different
 * files equal. Throws {@link NotText}.
 */
export const exactText = (bytes: Buffer, from = 1): string => {
  if (isUtf8(bytes)) return bytes.toString("utf8")
  let [line, start] = [from, 0]
  for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    line++
    start = end + 1
  }
  throw new NotText({ line })
}

const lineEnd = 0x0a

/**
 * Reads the text of a file piece by piece. Gzip is recognised by its first two bytes, not by the name. Throws {@link
 * LimitExceeded}, and errors of the system.
 */
async function* pieces(file: string, limits: Limits): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder("utf8")
  let isFirst = true
  for await (const chunk of chunks(file, limits)) {
    yield decoder.write(isFirst ? withoutMark(chunk) : chunk)
    isFirst = false
  }
  yield decoder.end()
  return undefined
}

/** The bytes of a file's text, within the limits. */
async function* chunks(file: string, limits: Limits): AsyncGenerator<Buffer, undefined> {
  const { bytes, isPacked } = await look(file)
  if (bytes > limits.file) throw new LimitExceeded({ file, limit: "file", max: limits.file })
  const source = createReadStream(file)
  const stream = isPacked ? pipeline(source, createGunzip(), () => {}) : source
  let read = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (chunk.length > 0) yield chunk
    read += chunk.length
    if (read > limits.text) throw new LimitExceeded({ file, limit: "text", max: limits.text })
    if (isPacked && read > refusing.smallTextBytesMax && read > limits.ratio * bytes) {
      throw new LimitExceeded({ file, limit: "ratio", max: limits.ratio })
    }
  }
  return undefined
}

/**
 * Reads the lines of a file, including empty ones. Throws as {@link pieces} does. With `exact`, a byte order mark
 * stays, and bytes that are no text are refused with {@link NotText}. The formats that Backstitch defines are read
 * like this.
 */
export async function* lines(
  file: string,
  limits: Limits,
  { exact = false }: { readonly exact?: boolean | undefined } = {}
): AsyncGenerator<Line, undefined> {
  let number = 1
  let parts: Array<Buffer> = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    if (length > limits.line) throw new LimitExceeded({ file, limit: "line", line: number, max: limits.line })
    parts.push(part)
  }
  const taken = (isEnded: boolean): Line => {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    const given = exact || number > 1 ? bytes : withoutMark(bytes)
    const line = { number, text: exact ? exactText(given, number) : given.toString("utf8"), isEnded }
    number++
    parts = []
    length = 0
    return line
  }
  for await (const piece of chunks(file, limits)) {
    let start = 0
    for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, start)) {
      add(piece.subarray(start, end))
      yield taken(true)
      start = end + 1
    }
    add(piece.subarray(start))
  }
  if (length > 0) yield taken(false)
  return undefined
}

/** Reads the whole text of a file. Throws as {@link pieces} does. */
export const text = async (file: string, limits: Limits): Promise<string> => {
  const parts: Array<string> = []
  for await (const piece of pieces(file, limits)) parts.push(piece)
  return parts.join("")
}

/** Refuses a JSON text with too many values or too deep a nesting, before it is parsed. */
export const exceeded = (file: string, { number, text }: Line, { values }: Limits): LimitExceeded | undefined => {
  const extent = Canonical.extent(text)
  const at = number === 0 ? { file } : { file, line: number }
  if (extent.levels > levelsMax) return new LimitExceeded({ ...at, limit: "levels", max: levelsMax })
  return extent.values > values ? new LimitExceeded({ ...at, limit: "values", max: values }) : undefined
}

const look = async (file: string): Promise<{ readonly bytes: number; readonly isPacked: boolean }> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    const isPacked = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
    return { bytes: (await handle.stat()).size, isPacked }
  } finally {
    await handle.close()
  }
}

/** A byte order mark is no part of the text. */
const withoutMark = (chunk: Buffer): Buffer =>
  chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk
