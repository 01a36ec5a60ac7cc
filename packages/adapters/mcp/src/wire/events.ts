/**
 * Reads and writes events of a server, each with one message.
 *
 * @source MCP, 2025-11-25, "Transports", section "Streamable HTTP"
 */
import * as Limits from "../Limits.ts"

/** Reads the data of each event of a stream. Comments and other fields are left out. */
export async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  let data: Array<string> = []
  for await (const chunk of stream as AsyncIterable<Uint8Array> & ReadableStream<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > Limits.refusing.messageBytesMax) throw new Error("an event of the server is too large")
    // A carriage return at the end may be half of a line break.
    const whole = rest.endsWith("\r") ? rest.slice(0, -1) : rest
    const lines = whole.split(/\r\n|\r|\n/)
    rest = `${lines.pop() ?? ""}${rest.slice(whole.length)}`
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5))
      if (line !== "" || data.length === 0) continue
      const text = data.join("\n")
      data = []
      if (text !== "") yield Buffer.from(text)
    }
  }
}

/** Writes a message as one event. A line break in it can only be white space of JSON. */
export const write = (text: string | Buffer): string =>
  `event: message\ndata: ${text.toString().replace(/[\r\n]+/g, " ")}\n\n`
