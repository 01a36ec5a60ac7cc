/**
 * A format of recordings: the content of one file, and a reader that makes conversations from it.
 *
 * To support another framework, add another value of this type.
 */
import type * as Result from "effect/Result"
import type * as Chat from "./Chat.ts"

/**
 * A format. With the framing `line` every line is read alone, so that a file of any length can be streamed; with
 * `file` the whole text is read. `parse` describes the fault of a text that it cannot read.
 */
export interface Format {
  readonly name: string
  readonly framing: "line" | "file"
  readonly parse: (text: string) => Result.Result<ReadonlyArray<Chat.Chat>, string>
}
