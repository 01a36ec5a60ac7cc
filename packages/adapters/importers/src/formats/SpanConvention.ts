/**
 * A convention by which the attributes of a span tell of a model call or of a tool.
 *
 * Another framework that writes spans is one more value of this type.
 */
import type { Fields } from "../text/reading.ts"
import { type Message, messages } from "./message.ts"

/**
 * A convention. `tool` names the attributes of a tool's span, the preferred one first. `given` and `answered` read the
 * messages of a model call, and answer `undefined` where the span has none of the convention. `usage` is the beginning
 * of the names of attributes that count tokens.
 */
export interface SpanConvention {
  readonly isTool: (attributes: Fields) => boolean
  readonly tool: { readonly [field in "id" | "name" | "args" | "output"]: ReadonlyArray<string> }
  readonly given: (attributes: Fields) => ReadonlyArray<Message> | undefined
  readonly answered: (attributes: Fields) => ReadonlyArray<Message> | undefined
  readonly usage: string
}

/** The value of the first attribute that a span has of those named. */
export const valueOf = (attributes: Fields, names: ReadonlyArray<string>): unknown =>
  names.map((name) => attributes[name]).find((value) => value !== undefined)

/** Reads messages from the first attribute that a span has of those named. */
export const messagesOf =
  (names: ReadonlyArray<string>, role: string) =>
  (attributes: Fields): ReadonlyArray<Message> | undefined => {
    const value = valueOf(attributes, names)
    return value === undefined ? undefined : messages(value, role)
  }
