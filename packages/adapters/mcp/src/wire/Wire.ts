/**
 * One side of a conversation, message by message, whatever carries it.
 *
 * A wire knows no method of MCP. It is read as slowly as its messages are taken, and says when more may be sent. So a
 * side that floods is slowed down, and is not kept in memory.
 */
import { once } from "node:events"
import type { Readable, Writable } from "node:stream"
import * as Limits from "../Limits.ts"
import type * as JsonRpc from "../message/JsonRpc.ts"

/** One side of a conversation. */
export interface Wire {
  /** Texts of messages in their order, until the side ends. */
  readonly arriving: AsyncIterable<Buffer>
  /** Sends a message, and settles once the next one may be sent. A message to a side that has ended is dropped. */
  readonly send: (text: JsonRpc.Frame["text"]) => Promise<void>
  /** Says that nothing more will be sent. */
  readonly end: () => void
  /** Tells in words how the side ended, once it has. */
  readonly ended: Promise<string>
}

/** A server in a session: a wire, and how it is ended. */
export interface Served extends Omit<Wire, "arriving"> {
  /** Texts of the server in their order, and frames in which the wire itself answers in its place. */
  readonly arriving: AsyncIterable<Buffer | JsonRpc.Frame>
  /** Ends the session, and the server if it was started for it. */
  readonly stop: () => Promise<void>
  /** Says with which `Authorization` of the client the server is asked from now on. Absent if it takes none. */
  readonly authorize?: (authorization: string | undefined) => void
  /** Lets the session keep this process alive, or not. */
  readonly hold?: (isHeld: boolean) => void
}

/** Begins a session with a server. */
export type Start = () => Promise<Served>

/** Error for a message that is larger than a conversation may carry. */
export class MessageTooLarge extends Error {
  readonly _tag = "MessageTooLarge"

  constructor() {
    super(`a message has more than ${Limits.refusing.messageBytesMax} bytes`)
  }
}

const newline = 10

/** Reads a stream line by line. Throws {@link MessageTooLarge} before a line fills the memory. */
export async function* linesOf(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let parts: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      const rest = chunk.subarray(from, at)
      const line = parts.length === 0 ? rest : Buffer.concat([...parts, rest])
      parts = []
      bytes = 0
      from = at + 1
      if (line.length > 0) yield line
    }
    if (from === chunk.length) continue
    parts.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > Limits.refusing.messageBytesMax) throw new MessageTooLarge()
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}

/** Writes lines to a stream. A stream that failed takes no more, and nothing is thrown. */
export const writerOf = (stream: Writable): Pick<Wire, "end" | "send"> => {
  let isGone = false
  stream.on("error", () => {
    isGone = true
  })
  stream.on("close", () => {
    isGone = true
  })
  return {
    send: async (text) => {
      if (isGone || stream.writableEnded) return
      const whole = typeof text === "string" ? `${text}\n` : Buffer.concat([text, Buffer.from("\n")])
      if (stream.write(whole)) return
      await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => {})
    },
    end: () => {
      if (!isGone) stream.end()
    }
  }
}

/** The side that started this process: messages on one stream, answers on another. */
export const ofStreams = (input: Readable, output: Writable): Wire => {
  const { end, send } = writerOf(output)
  const { promise, resolve } = Promise.withResolvers<string>()
  input.once("end", () => resolve("the client has closed its side"))
  input.once("close", () => resolve("the client has closed its side"))
  input.once("error", (cause: Error) => resolve(`the client cannot be read any more: ${cause.message}`))
  const over = () => {
    end()
    // A client that still says something would keep this process, and be answered by nobody.
    input.destroy()
  }
  return { arriving: linesOf(input), send, end: over, ended: promise }
}
