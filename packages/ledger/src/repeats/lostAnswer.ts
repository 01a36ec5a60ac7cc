/**
 * Reads from a recorded answer whether the call came to a known end: a timeout, a lost connection or a crash in its
 * words says that nobody knows what became of it.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Outcome } from "@backstitch/trace/Transition"
import { recordedValue } from "./recordedValue.ts"

/** The ways in which an answer says that there was none. */
export type LostAnswer = "timeout" | "crash"

const patterns: { readonly [Way in LostAnswer]: ReadonlyArray<RegExp> } = {
  crash: [
    /SIGKILL|SIGTERM|KeyboardInterrupt|CancelledError|AbortError|MCP error -32000/i,
    /\b(?:was|were|been|process) (?:aborted|interrupted|killed|terminated)/i,
    /\b(?:process|server|worker|container|sandbox|tool) (?:has )?(?:crashed|died|disconnected)/i,
    /\b(?:exit|status) code:? (?:137|143)\b|operation (?:was )?aborted|out of memory|OOM[ -]?killed/i
  ],
  timeout: [
    /time[ds]?[ -]?out|deadline[ _]exceeded|bad gateway|no (?:answer|response)/i,
    /ETIMEDOUT|ECONNRESET|ECONNABORTED|EPIPE|socket hang up/i,
    /connection (?:was )?(?:aborted|closed|lost|reset)/i
  ]
}

/**
 * Names the way in which an answer says that none came; `undefined` if it tells what the call came to.
 *
 * **Details**
 *
 * An answer that is marked as an error may say so anywhere. Another one says so only in its single line, or as its
 * error. The words are a hint, and prove nothing.
 */
export const lostOf = ({ output, status }: Outcome): LostAnswer | undefined => {
  const found = tell(status === "error", output)
  return status === "unknown" ? (found ?? "timeout") : found
}

const tell = (isError: boolean, output: Canonical.Json | undefined): LostAnswer | undefined => {
  if (typeof output !== "string") return named(errorOf(Canonical.objectOf(output)))
  if (isError) return named(output)
  const value = recordedValue(output)
  if (Canonical.isObject(value)) return named(errorOf(value))
  return typeof value === "string" && !value.trim().includes("\n") ? named(value) : undefined
}

const named = (text: string): LostAnswer | undefined =>
  (["crash", "timeout"] as const).find((way) => patterns[way].some((pattern) => pattern.test(text)))

const errorOf = ({ error }: Canonical.JsonObject): string =>
  typeof error === "string" ? error : String(Canonical.objectOf(error)["message"] ?? "")
