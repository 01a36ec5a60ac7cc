/**
 * A format of recordings: what one file holds, and a reader that makes conversations of it.
 *
 * Another framework is one more value of this type.
 */
import type * as Result from "effect/Result"
import type * as Chat from "./Chat.ts"

/**
 * A format. With the framing `line` every line is read alone, so that a file of any length streams; with `file` the
 * whole text is. `parse` answers what is wrong with a text that it cannot read.
 */
export interface Format {
  readonly name: string
  readonly framing: "line" | "file"
  readonly parse: (text: string) => Result.Result<ReadonlyArray<Chat.Chat>, string>
}
