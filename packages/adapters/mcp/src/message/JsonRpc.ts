/**
 * Messages of JSON-RPC 2.0, as MCP frames them: told apart, and made.
 *
 * Nothing here knows a version of MCP. A message that is passed on is passed on as the text that arrived.
 *
 * @source JSON-RPC, version 2.0; MCP, 2025-11-25, "Base Protocol"
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import type { Challenge } from "./Challenge.ts"
import * as Strict from "./strictJson.ts"

/** The name of a request. */
export type Id = string | number

/** A request, which is answered. */
export interface JsonRpcRequest {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: JsonObject
}

/** A message that is not answered. */
export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: JsonObject
}

/** An answer: a result or an error. */
export interface Response {
  readonly _tag: "Response"
  readonly id: Id
  readonly result?: JsonObject
  readonly error?: ResponseError
}

/** The error of an answer. */
export interface ResponseError {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

/** One message. */
export type JsonRpcMessage = JsonRpcRequest | Notification | Response

/** A message with the text in which it arrived or leaves. */
export interface Frame {
  readonly text: string | Buffer
  readonly message: JsonRpcMessage | undefined
  /** `true` if the wire answers in the place of the server, to which nothing was handed. No server can say so. */
  readonly isUnsent?: boolean
  /** The challenge because of which the wire answers. It does not prove that nothing was carried out. */
  readonly challenge?: Challenge | undefined
}

/** Error codes of JSON-RPC. A server may answer with any of them after it has acted. */
export const codes = {
  parse: -32_700,
  invalid: -32_600,
  noMethod: -32_601,
  badParams: -32_602,
  internal: -32_603
} as const

/** Text of a client that is no message, and the error that answers it. */
export interface Misread {
  readonly id: Id | null
  readonly code: number
  readonly problem: string
}

/** A message of a client, and whether a whole number in it is too large to be exact. */
export interface ClientFrame extends Frame {
  readonly message: JsonRpcMessage
  readonly isInexact: boolean
}

/**
 * Reads what a client sent, strictly: one message, or several in a batch. Text that two readers could understand in
 * two ways is refused, or a server could act on a call that nobody has judged.
 */
export const arrived = (given: string): ReadonlyArray<ClientFrame | Misread> => {
  const strict = Strict.read(given)
  if (strict === undefined) return [{ id: null, code: codes.parse, problem: "the line is no JSON" }]
  if (strict.hasRepeatedKey) {
    const problem = "a key occurs twice in one object, and readers differ on which of the two counts"
    return [{ id: idOf(strict.value) ?? null, code: codes.invalid, problem }]
  }
  const { isInexact, value } = strict
  if (!Array.isArray(value)) {
    // Some servers end a line at a carriage return, which JSON permits between values.
    return [readOne(value, { text: given.includes("\r") ? given.replaceAll("\r", " ") : given, isInexact })]
  }
  if (value.length === 0) return [{ id: null, code: codes.invalid, problem: "the batch is empty" }]
  if (isInexact) return [{ id: null, code: codes.invalid, problem: "a batch holds a number that is not exact" }]
  return value.map((each) => readOne(each, { text: JSON.stringify(each), isInexact }))
}

const readOne = (
  value: unknown,
  about: { readonly text: string; readonly isInexact: boolean }
): ClientFrame | Misread => {
  const message = messageOf(value)
  return message === undefined
    ? { id: idOf(value) ?? null, code: codes.invalid, problem: "this is no request, notification or response" }
    : { ...about, message }
}

/** Reads what a server sent. What is no message stays text, for the client to judge. */
export const frameOf = (text: string | Buffer): Frame => {
  try {
    return { text, message: messageOf(JsonText.read(text.toString())) }
  } catch {
    return { text, message: undefined }
  }
}

const messageOf = (value: unknown): JsonRpcMessage | undefined => {
  if (!isObject(value)) return undefined
  const { error, method, params = {}, result } = value
  const id = idOf(value)
  if (typeof method === "string") {
    if (!isObject(params) && !Array.isArray(params)) return undefined
    const named = isObject(params) ? params : {}
    return id === undefined
      ? { _tag: "Notification", method, params: named }
      : { _tag: "Request", id, method, params: named }
  }
  if (id === undefined) return undefined
  if (isObject(error)) return { _tag: "Response", id, error: errorOf(error) }
  return isObject(result) ? { _tag: "Response", id, result } : undefined
}

const errorOf = ({ code, data, message }: JsonObject): ResponseError => ({
  code: typeof code === "number" ? code : codes.internal,
  message: typeof message === "string" ? message : "",
  ...(data === undefined ? {} : { data })
})

const idOf = (value: unknown): Id | undefined => {
  const id = isObject(value) ? value["id"] : undefined
  return typeof id === "string" || typeof id === "number" ? id : undefined
}

/** Tells whether a value is an object with fields. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same for two equal ids only: `1` and `"1"` are two. */
export const keyOf = (id: Id): string => `${typeof id} ${id}`

/** Makes a request. */
export const request = (id: Id, method: string, params: JsonObject): Frame =>
  framed({ _tag: "Request", id, method, params })

/** Makes a notification. */
export const notification = (method: string, params: JsonObject): Frame =>
  framed({ _tag: "Notification", method, params })

/** Makes a response with a result. */
export const success = (id: Id, result: JsonObject): Frame => framed({ _tag: "Response", id, result })

/** Makes a response with an error. Without an id, it answers a line in which none was found. */
export const failure = (id: Id | null, error: ResponseError): Frame =>
  id === null
    ? { text: JSON.stringify({ jsonrpc: "2.0", id, error }), message: undefined }
    : framed({ _tag: "Response", id, error })

/** Makes the response to a request that was not passed on, because the server wants another token first. */
export const challenged = (id: Id, challenge: Challenge): Frame => ({
  ...failure(id, { code: codes.internal, message: "The server asks for another token. Nothing was sent" }),
  challenge
})

/** The same response under another id. */
export const answering = (id: Id, frame: Frame): Frame =>
  frame.message?._tag === "Response" ? { ...frame, ...framed({ ...frame.message, id }) } : frame

const framed = (message: JsonRpcMessage): Frame => {
  const { _tag: _, ...fields } = message
  return { text: JSON.stringify({ jsonrpc: "2.0", ...fields }), message }
}
