/** The formats that can be imported, by name. */
import * as Result from "effect/Result"
import type * as Chat from "./chat/Chat.ts"
import type { Format } from "./chat/Format.ts"
import type { FormatName } from "./chat/FormatName.ts"
import * as ClaudeCode from "./formats/ClaudeCode.ts"
import * as Codex from "./formats/Codex.ts"
import * as GroupChat from "./formats/GroupChat.ts"
import * as Langfuse from "./formats/Langfuse.ts"
import * as LangSmith from "./formats/LangSmith.ts"
import * as OpenAiChat from "./formats/OpenAiChat.ts"
import * as OpenHands from "./formats/OpenHands.ts"
import * as OtelGenAi from "./formats/OtelGenAi.ts"
import * as Pi from "./formats/Pi.ts"
import * as SweAgent from "./formats/SweAgent.ts"

/** All of them. */
export const all = {
  "openai-chat": OpenAiChat.format,
  "claude-code": ClaudeCode.format,
  codex: Codex.format,
  "swe-agent": SweAgent.format,
  openhands: OpenHands.format,
  langsmith: LangSmith.format,
  langfuse: Langfuse.format,
  "otel-genai": OtelGenAi.format,
  pi: Pi.format,
  "group-chat": GroupChat.format
} as const satisfies Readonly<Record<FormatName, Format>>

/**
 * Lists the formats in which the beginning of a file can be read, with at least one message or call in it. Formats
 * that need the whole file are tried only if the beginning is the whole file.
 */
export const recognised = (beginning: string, isWhole: boolean): ReadonlyArray<FormatName> => {
  const [line] = beginning.split("\n").filter((each) => each.trim() !== "")
  const texts = { line: isWhole || beginning.includes("\n") ? line : undefined, file: isWhole ? beginning : undefined }
  return Object.values(all).flatMap(({ framing, name, parse }: Format) => {
    const text = texts[framing]
    const chats = text === undefined ? [] : attempt(parse, text)
    return chats.some(({ steps }) => steps.flat().length > 0) ? [name as FormatName] : []
  })
}

/** A recording of another format may make a reader throw. Then it is not of this reader's format. */
const attempt = (parse: Format["parse"], text: string): ReadonlyArray<Chat.Chat> => {
  try {
    return Result.getOrElse(parse(text), () => [])
  } catch {
    return []
  }
}
