/** Messages to and from a model, in the form of the AI SDK, which is plain JSON. */

/** A JSON value of a message. */
export type MessageValue = null | boolean | number | string | Array<MessageValue> | { [name: string]: MessageValue }

/** A call in a message, under the name of its action. */
export interface CallPart {
  type: "tool-call"
  toolCallId: string
  toolName: string
  input: MessageValue
}

/** The result of a call: how the act stands by what was verified of it, and its output. */
export interface ResultPart {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: { type: "json"; value: MessageValue }
}

/** A message to or from a model. */
export type Message =
  | { role: "user"; content: string }
  | { role: "assistant"; content: Array<CallPart> }
  | { role: "tool"; content: Array<ResultPart> }

/** Options of messages: a text that is told last, and the names under which a model is offered tools. */
export interface MessageOptions {
  readonly note?: string | undefined
  readonly nameOf?: ((tool: string) => string) | undefined
}
