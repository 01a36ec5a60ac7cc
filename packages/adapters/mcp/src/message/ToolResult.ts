/**
 * The answer of a tool as a trace keeps it, and as a client is given it again.
 *
 * A server answers content for a model, and sometimes a structured value. Expressions read `value`: the structured
 * value or, without one, the value of the only text if that is JSON. The rest is kept as it came, so that an act that
 * was done before can be answered from the record.
 *
 * @source MCP, 2025-11-25, "Tools", section "Tool Result"
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Limits from "../Limits.ts"
import { isObject } from "./JsonRpc.ts"

/** The name under which an answer that is too large to keep says its size. */
const omitted = "omitted"

/** Converts the result of a call to what a trace keeps. */
export const toEvidence = (result: JsonObject): JsonObject => {
  const { structuredContent, ...rest } = result
  const size = sizeOf(result)
  if (size > Limits.refusing.keptAnswerCharactersMax) {
    const text = JSON.stringify(result)
    return { [omitted]: { characters: text.length, sha256: Digest.ofBytes(text) } }
  }
  if (structuredContent !== undefined) return { ...rest, isStructured: true, value: structuredContent }
  const value = valueOfText(result)
  return value === undefined ? rest : { ...rest, value }
}

/** Converts what a trace keeps back to the result of a call. Something without content is told as text. */
export const fromEvidence = (kept: Json): JsonObject => {
  if (!isObject(kept)) return told(kept)
  const { [omitted]: left, isStructured, value, ...rest } = kept
  if (isObject(left)) {
    const about = `${String(left["characters"])} characters, SHA-256 ${String(left["sha256"])}`
    return text(`The answer was too large to be kept (${about}). Read what it showed again with a tool that reads.`)
  }
  if (!Array.isArray(rest["content"])) return told(kept)
  return isStructured === true ? { ...rest, structuredContent: value ?? null } : rest
}

/** The value that expressions read: the structured one, or that of the only text. */
export const valueOf = (result: JsonObject): Json | undefined => {
  const { structuredContent } = result
  return structuredContent ?? valueOfText(result)
}

/** All texts of a result, one after the other. */
export const textOf = ({ content }: JsonObject): string =>
  Array.isArray(content) ? content.flatMap((each: Json) => (isText(each) ? [String(each["text"])] : [])).join("\n") : ""

/** A result of one text. */
export const text = (says: string): JsonObject => ({ content: [{ type: "text", text: says }] })

const told = (value: Json): JsonObject => ({
  ...text(typeof value === "string" ? value : JSON.stringify(value)),
  ...(isObject(value) ? { structuredContent: value } : {})
})

const isText = (each: Json): each is JsonObject => isObject(each) && each["type"] === "text"

const valueOfText = ({ content }: JsonObject): Json | undefined => {
  if (!Array.isArray(content) || content.length !== 1) return undefined
  const [only] = content as ReadonlyArray<Json>
  const says = only !== undefined && isText(only) ? only["text"] : undefined
  if (typeof says !== "string" || !/^\s*[[{]/.test(says)) return undefined
  try {
    return JsonText.read(says) as Json
  } catch {
    return undefined
  }
}

/** Characters and values, added up, until it is known that there are too many. */
const sizeOf = (value: Json, from = 0): number => {
  if (from > Limits.refusing.keptAnswerCharactersMax) return from
  if (typeof value === "string") return from + value.length
  if (Array.isArray(value)) return value.reduce((size: number, each: Json) => sizeOf(each, size), from + 1)
  if (!isObject(value)) return from + 1
  return Object.entries(value).reduce((size, [name, each]) => sizeOf(each ?? null, size + name.length), from + 1)
}
