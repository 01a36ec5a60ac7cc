/**
 * The formats that can be imported, by name.
 *
 * @since 0.1.0
 */
import * as ClaudeCode from "./ClaudeCode.ts"
import * as Codex from "./Codex.ts"
import type { Format } from "./Format.ts"
import * as Langfuse from "./Langfuse.ts"
import * as LangSmith from "./LangSmith.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenHands from "./OpenHands.ts"
import * as OtelGenAi from "./OtelGenAi.ts"
import * as Pi from "./Pi.ts"
import * as SweAgent from "./SweAgent.ts"

/**
 * All of them.
 *
 * @category formats
 * @since 0.1.0
 */
export const all = {
  "openai-chat": OpenAiChat.format,
  "claude-code": ClaudeCode.format,
  codex: Codex.format,
  "swe-agent": SweAgent.format,
  openhands: OpenHands.format,
  langsmith: LangSmith.format,
  langfuse: Langfuse.format,
  "otel-genai": OtelGenAi.format,
  pi: Pi.format
} as const satisfies Readonly<Record<string, Format>>
