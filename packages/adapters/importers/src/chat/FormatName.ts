/**
 * The names of the formats that can be imported, without their readers.
 *
 * A program lists them for its users, and loads {@link Formats} only when it reads a file.
 */

/** Formats by name, each with the recordings that it reads. */
export const formats = {
  "openai-chat": "conversations in the form of OpenAI's chat API, one a line",
  "claude-code": "a session of Claude Code",
  codex: "a rollout of Codex",
  "swe-agent": "a trajectory of SWE-agent or mini-swe-agent",
  openhands: "event histories of OpenHands, one run a line",
  langsmith: "runs exported from LangSmith",
  langfuse: "a trace exported from Langfuse",
  "otel-genai": "spans of generative AI (OpenTelemetry, OpenInference or the AI SDK)",
  pi: "a session of pi",
  "group-chat": "a conversation of several agents, as AutoGen logs it"
} as const

/** The name of a format. */
export type FormatName = keyof typeof formats

/** All names of formats. */
export const names = Object.keys(formats) as ReadonlyArray<FormatName>
