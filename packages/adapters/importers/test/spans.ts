/** Spans as a file holds them, and the steps of the conversation that they tell. */
import * as Result from "effect/Result"
import type * as Chat from "../src/chat/Chat.ts"
import * as OtelGenAi from "../src/formats/OtelGenAi.ts"

/** Reads the conversations of spans. */
export const parse = (spans: ReadonlyArray<unknown>): ReadonlyArray<Chat.Chat> =>
  Result.getOrThrow(OtelGenAi.parse(JSON.stringify(spans)))

/** Lists the steps of a conversation, one line each. */
export const told = (chat: Chat.Chat | undefined): ReadonlyArray<string> =>
  (chat?.steps.flat() ?? []).map((step) => {
    if (step._tag === "Received") return `${step.role}: ${step.content}`
    if (step._tag === "Sent") return `agent: ${step.content}`
    return step._tag === "Called" ? `${step.call.tool}(${step.call.id})` : `${step.call.id} => ${step.output}`
  })
