/**
 * Values of a graph as facts name them: what the graph's own serializer makes of a value, and the address of its text.
 *
 * The serializer decides what is written, so whatever a graph can keep with its own savers it can keep here. JSON is
 * kept as it is, so that what two values share is kept once. Anything else is kept as base64.
 */

import type { Json } from "@backstitch/sdk"
import { BackstitchError } from "@backstitch/sdk"
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint"

/** A serialized value: its type for the serializer, how its bytes are written as a text, and that text. */
export interface SerializedValue {
  readonly type: string
  readonly coding: Coding
  readonly text: string
}

/** A serialized value as a fact names it: type, coding and address. */
export type StoredValue = readonly [type: string, coding: Coding, address: string]

type Coding = "base64" | "text"

/** Serializes a value. The serializer is called at once, so a later change of the value has no part in it. */
export const serialized = async (serde: SerializerProtocol, value: unknown): Promise<SerializedValue> => {
  const [type, bytes] = await serde.dumpsTyped(value)
  const text = type === "json" ? textOf(bytes) : undefined
  return text === undefined
    ? { type, coding: "base64", text: Buffer.from(bytes).toString("base64") }
    : { type, coding: "text", text }
}

/** Makes a value again from its text. */
export const loaded = async (serde: SerializerProtocol, [type, coding]: StoredValue, text: string): Promise<unknown> =>
  serde.loadsTyped(type, coding === "text" ? text : Buffer.from(text, "base64"))

/** Reads a stored value out of a fact. Throws if it is none. */
export const read = (value: Json | undefined, where: string): StoredValue => {
  const [type, coding, address] = Array.isArray(value) ? (value as ReadonlyArray<Json>) : []
  if (typeof type === "string" && (coding === "text" || coding === "base64") && typeof address === "string") {
    return [type, coding, address]
  }
  const message = `${where} names no stored value. It was written by something else than this checkpointer`
  throw new BackstitchError({ code: "checkpoint_unreadable", message })
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
