/**
 * Reads and writes events of a server, each with one message.
 *
 * @source MCP, 2025-11-25, "Transports", section "Streamable HTTP"
 */
import * as Limits from "../Limits.ts"

/** An event: its message, if it has one, its id, and how long the reader has to wait before it reconnects. */
export interface StreamEvent {
  readonly message: Buffer | undefined
  readonly id: string | undefined
  readonly retryMillis: number | undefined
}

/** Reads the events of a stream. One that has neither a message, nor an id, nor a time is left out. */
export async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  let data: Array<string> = []
  let size = 0
  let fields: Map<string, string> = new Map()
  for await (const chunk of stream as AsyncIterable<Uint8Array> & ReadableStream<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true })
    size += chunk.length
    if (size > Limits.refusing.messageBytesMax) throw new Error("an event of the server is too large")
    // A carriage return at the end may be half of a line break.
    const whole = rest.endsWith("\r") ? rest.slice(0, -1) : rest
    const lines = whole.split(/\r\n|\r|\n/)
    rest = `${lines.pop() ?? ""}${rest.slice(whole.length)}`
    for (const line of lines) {
      const [, name = "", value = ""] = /^(data|id|retry)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === "data") data.push(value)
      else if (name !== "") fields.set(name, value)
      if (line !== "") continue
      const event = eventOf(data.join("\n"), fields)
      size = rest.length
      data = []
      fields = new Map()
      if (event !== undefined) yield event
    }
  }
}

const eventOf = (text: string, fields: ReadonlyMap<string, string>): StreamEvent | undefined => {
  const [id, retry = ""] = [fields.get("id"), fields.get("retry")]
  if (text === "" && fields.size === 0) return undefined
  return {
    message: text === "" ? undefined : Buffer.from(text),
    id: id?.includes("\0") === true ? undefined : id,
    retryMillis: /^\d+$/.test(retry) ? Number(retry) : undefined
  }
}

/** Writes a message as one event. A line break in it can only be white space of JSON. */
export const write = (text: string | Buffer): string =>
  `event: message\ndata: ${text.toString().replace(/[\r\n]+/g, " ")}\n\n`
