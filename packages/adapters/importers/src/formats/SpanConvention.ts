/**
 * A convention of the attributes by which a span describes a model call or a tool.
 *
 * Support for another framework that writes spans is one more value of this type.
 */

import { type ChatMessage, messages } from "../chat/chatMessage.ts"
import type { Fields } from "../text/foreignJson.ts"

/**
 * A convention. `tool` names the attributes of a tool's span, the preferred one first. `given` and `answered` read
 * the messages of a model call, and answer `undefined` if the span has no attribute of the convention. `usage` is the
 * prefix of the attributes that count tokens.
 */
export interface SpanConvention {
  readonly isTool: (attributes: Fields) => boolean
  readonly tool: { readonly [field in "id" | "name" | "args" | "output"]: ReadonlyArray<string> }
  readonly given: (attributes: Fields) => ReadonlyArray<ChatMessage> | undefined
  readonly answered: (attributes: Fields) => ReadonlyArray<ChatMessage> | undefined
  readonly usage: string
}

/** The value of the first of the named attributes that a span has. */
export const valueOf = (attributes: Fields, names: ReadonlyArray<string>): unknown =>
  names.map((name) => attributes[name]).find((value) => value !== undefined)

/** Reads messages from the first of the named attributes that a span has. */
export const messagesOf =
  (names: ReadonlyArray<string>, role: string) =>
  (attributes: Fields): ReadonlyArray<ChatMessage> | undefined => {
    const value = valueOf(attributes, names)
    return value === undefined ? undefined : messages(value, role)
  }
