/** Messages of model calls, in one form for all providers. */

import { defined } from "@backstitch/trace/Defined"
import type * as Schema from "effect/Schema"
import { args, type Fields, fields, flagged, isObject, json, list, output, text } from "../text/foreignJson.ts"
import type * as Chat from "./Chat.ts"

/** A message of a model call, in the common form. */
export interface ChatMessage {
  readonly role: string
  readonly words: string
  readonly calls: ReadonlyArray<Chat.ChatCall>
  readonly answers: ReadonlyArray<ToolMessage>
  /** Kinds of parts that are neither text nor calls nor answers. */
  readonly lost: ReadonlyArray<keyof Chat.LossCounts>
}

/** The answer of a tool, as a message carries it. */
export interface ToolMessage {
  readonly id: string | undefined
  readonly tool: string | undefined
  readonly output: string | null
  readonly error?: boolean | undefined
}

/** All messages in one value: a list, an object with a list, a message, or their JSON text. */
export const messages = (value: unknown, role: string): ReadonlyArray<ChatMessage> => {
  if (typeof value === "string") return spelt(value, role)
  if (Array.isArray(value)) {
    const parts = value.filter(isPart)
    if (value.length > 0 && parts.length === value.length) return [ofParts(role, parts)]
    return value.flatMap((each) => messages(each, role))
  }
  if (!isObject(value)) return []
  const held = holders.map((name) => value[name]).find((each) => each !== undefined && each !== null)
  if (held !== undefined && value["role"] === undefined && value["type"] === undefined) {
    const system = text(value["system"]) ?? text(fields(value["config"])["system_instruction"])
    return [...(system === undefined ? [] : [said("system", system)]), ...messages(held, role)]
  }
  if (isObject(value["message"]) && value["role"] === undefined) return messages(value["message"], role)
  return one(value, role)
}

/** The one answer in a value that LangChain made from a message of a tool; `undefined` for any other value. */
export const toolMessage = (value: unknown): ToolMessage | undefined =>
  isObject(value) && (value["lc"] !== undefined || value["tool_call_id"] !== undefined)
    ? messages(value, "tool").flatMap(({ answers }) => answers)[0]
    : undefined

/** Fields in which requests and responses of models keep their messages. */
const holders = ["messages", "prompt", "new_message", "choices", "contents", "output"]

const spelt = (value: string, role: string): ReadonlyArray<ChatMessage> => {
  const read = /^\s*[[{"]/.test(value) ? json(value) : undefined
  return read?._tag === "Success" && typeof read.success !== "string"
    ? messages(read.success, role)
    : [said(role, value)]
}

const said = (role: string, words: string): ChatMessage => ({
  role,
  words,
  calls: [],
  answers: [],
  lost: []
})

const one = (value: Fields, role: string): ReadonlyArray<ChatMessage> => {
  // The form in which LangChain serialises: a constructor's name and its arguments.
  if (value["lc"] !== undefined && isObject(value["kwargs"])) {
    const kind = String(list(value["id"]).at(-1))
    return one({ role: roles[kind] ?? role, ...value["kwargs"] }, role)
  }
  if (isItem(value)) return [ofParts(roleOf(value, role), [value])]
  const holder = roleOf(value, role)
  const { content, parts } = value
  const inner = isObject(content) ? (content["parts"] ?? content["content"] ?? [content]) : (content ?? parts)
  const from = ofParts(holder, Array.isArray(inner) ? inner : inner === undefined || inner === null ? [] : [inner])
  // LangChain keeps a provider's calls among a message's additional data, if the message has no calls of its own.
  const own = list(value["tool_calls"])
  const added = list(fields(value["additional_kwargs"])["tool_calls"])
  const calls = (own.length > 0 ? own : added).flatMap((entry) => call(fields(entry)))
  if (inner === undefined && value["tool_calls"] === undefined && value["text"] === undefined && added.length === 0) {
    return []
  }
  const words = from.words === "" ? (text(value["text"]) ?? "") : from.words
  if (!speakers.has(holder) && from.answers.length === 0) {
    // Some exports have the name of the tool as the role of its answer.
    const tool = text(value["name"]) ?? (holder === "tool" ? undefined : holder)
    const id = text(value["tool_call_id"]) ?? text(value["toolCallId"])
    const told = { id, tool, output: words, ...defined({ error: flagged(value) }) }
    return [{ role: "tool", words: "", calls, answers: [told], lost: from.lost }]
  }
  return [{ ...from, words, calls: [...from.calls, ...calls] }]
}

const speakers = new Set(["system", "developer", "user", "assistant"])

const roles: Readonly<Record<string, string>> = {
  HumanMessage: "user",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  SystemMessage: "system",
  ToolMessage: "tool",
  human: "user",
  ai: "assistant",
  model: "assistant"
}

const roleOf = (value: Fields, role: string): string => {
  const given = text(value["role"]) ?? (isItem(value) ? undefined : text(value["type"]))
  return given === undefined || given === "message" ? role : (roles[given] ?? given)
}

const ofParts = (role: string, parts: ReadonlyArray<unknown>): ChatMessage => {
  const words: Array<string> = []
  const calls: Array<Chat.ChatCall> = []
  const answers: Array<ToolMessage> = []
  const lost: Array<keyof Chat.LossCounts> = []
  for (const part of parts) {
    if (typeof part === "string") words.push(part)
    if (!isObject(part)) continue
    const answered = answer(part)
    if (answered !== undefined) answers.push(answered)
    else {
      const called = call(part)
      calls.push(...called)
      if (called.length > 0) continue
      const said = wordsOf(part)
      const kind = said === "" ? lossOf(part) : undefined
      if (kind === undefined) words.push(said)
      else lost.push(kind)
    }
  }
  const speaker = calls.length > 0 ? "assistant" : answers.length > 0 ? "tool" : role
  return { role: speaker, words: words.join(""), calls, answers, lost }
}

const wordsOf = (part: Fields): string =>
  part["type"] === "thinking" || part["type"] === "reasoning" ? "" : (text(part["text"]) ?? text(part["content"]) ?? "")

/** The kind of a part without text. */
const lossOf = (part: Fields): keyof Chat.LossCounts | undefined => {
  const type = text(part["type"]) ?? ""
  if (/thinking|reasoning/.test(type)) return "reasoning"
  return type === "text" || type === "" ? undefined : "attachment"
}

const callTypes = new Set(["tool_use", "tool_call", "tool-call", "function_call", "custom_tool_use"])
const answerTypes = new Set(["tool_result", "tool_call_response", "tool-result", "tool-error", "function_call_output"])

const isPart = (value: unknown): boolean =>
  isObject(value) &&
  value["role"] === undefined &&
  (isItem(value) ||
    value["type"] === "text" ||
    value["type"] === "output_text" ||
    value["type"] === "input_text" ||
    value["toolName"] !== undefined)

const isItem = (value: Fields): boolean => {
  const type = text(value["type"]) ?? ""
  return (
    callTypes.has(type) ||
    answerTypes.has(type) ||
    isObject(value["function_call"]) ||
    isObject(value["function_response"])
  )
}

const call = (part: Fields): ReadonlyArray<Chat.ChatCall> => {
  const type = text(part["type"]) ?? ""
  const inner = isObject(part["function_call"]) ? part["function_call"] : fields(part["function"])
  const name = text(inner["name"]) ?? text(part["name"]) ?? text(part["toolName"])
  const known =
    callTypes.has(type) || type === "function" || inner["name"] !== undefined || part["toolName"] !== undefined
  const isLangChain = type === "" && part["args"] !== undefined
  if (name === undefined || !(known || isLangChain)) return []
  const given = inner["arguments"] ?? inner["args"] ?? part["arguments"] ?? part["input"] ?? part["args"]
  const id = text(part["id"]) ?? text(part["call_id"]) ?? text(part["toolCallId"]) ?? text(inner["id"]) ?? ""
  // The Responses API gives an item an id of its own, beside the id of the call.
  return [{ id: text(part["call_id"]) ?? id, tool: name, args: args(given) }]
}

const answer = (part: Fields): ToolMessage | undefined => {
  const response = fields(part["function_response"])
  if (text(response["name"]) !== undefined) {
    const given = fields(response["response"])
    const hasFailed = (given["error"] ?? undefined) !== undefined && given["output"] === undefined
    return {
      id: text(response["id"]),
      tool: text(response["name"]),
      output: spell(response["response"]),
      ...(hasFailed ? { error: true } : {})
    }
  }
  if (!answerTypes.has(text(part["type"]) ?? "")) return undefined
  const id =
    text(part["tool_use_id"]) ?? text(part["call_id"]) ?? text(part["toolCallId"]) ?? text(part["id"]) ?? undefined
  const body = part["response"] ?? part["content"] ?? part["output"] ?? part["result"] ?? part["error"]
  // The AI SDK says it in the type of the part, or of its output: `tool-error`, `error-text`, `execution-denied`.
  const kinds = [part["type"], fields(part["output"])["type"]]
  const hasFailed = kinds.some((kind) => /^error-|-error$|-denied$/.test(text(kind) ?? ""))
  const error = hasFailed ? true : flagged(part)
  return {
    id,
    tool: text(part["toolName"]) ?? text(part["name"]),
    output: spell(body),
    ...defined({ error })
  }
}

const spell = (value: unknown): string | null => {
  if (!isObject(value)) return output(value)
  return text(value["value"]) ?? JSON.stringify(value satisfies Fields as Schema.Json)
}
