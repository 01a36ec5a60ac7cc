/**
 * Calls that a recorded agent repeated without knowing the outcome of the first: for example a charge that may have
 * been made twice.
 *
 * There is one rule for all formats. A call repeats an earlier one if tool and arguments are the same, and the latest
 * such call was never answered, or its answer says that no answer came. A recording cannot show which of the two took
 * effect, so a repeat is named and proves nothing.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import type * as Chat from "../chat/Chat.ts"
import * as ChatRun from "./ChatRun.ts"

/**
 * A repeated call.
 *
 * **Details**
 *
 * `of` is the earlier call. `after` tells its outcome: `silence` if the recording has no answer, `timeout` if the
 * answer says that none came in time or that the connection was lost.
 */
export interface Repeat {
  readonly action: string
  readonly tool: string
  readonly of: string
  readonly after: "silence" | "timeout"
}

/**
 * Lists the repeats of a conversation among the calls of tools that may change something.
 *
 * **Example** (Finding a payment that was sent twice)
 *
 * ```ts import.meta.vitest
 * import { Chat, Repeats } from "@backstitch/importers"
 *
 * const builder = new Chat.Builder()
 * builder.message().called({ id: "a", tool: "pay", args: { amount: 3 } })
 * builder.message().answered("a", "Error: timed out")
 * builder.message().called({ id: "b", tool: "pay", args: { amount: 3 } })
 *
 * Repeats.of(builder.done({}), () => true) // => [{ action: "b", tool: "pay", of: "a", after: "timeout" }]
 * ```
 */
export const of = (chat: Chat.Chat, isMutating: (tool: string) => boolean): ReadonlyArray<Repeat> => {
  const steps = chat.steps.flat()
  const answered = new Set(steps.flatMap((step) => (step._tag === "Answered" ? [step.action] : [])))
  const latest = new Map<string, string>()
  const lost = new Set<string>()
  const repeats: Array<Repeat> = []
  for (const step of steps) {
    if (step._tag === "Answered" && isLost(step)) lost.add(step.action)
    if (step._tag !== "Called" || !isMutating(step.call.tool)) continue
    const { action, call } = step
    const same = `${call.tool} ${Canonical.encode(call.args as Canonical.Json)}`
    const before = latest.get(same)
    latest.set(same, action)
    if (before === undefined || (answered.has(before) && !lost.has(before))) continue
    repeats.push({ action, tool: call.tool, of: before, after: lost.has(before) ? "timeout" : "silence" })
  }
  return repeats
}

const lostWords = new RegExp(
  [
    "time[ds]?[ -]?out",
    "deadline[ _]exceeded",
    "bad gateway",
    "ETIMEDOUT|ECONNRESET|ECONNABORTED|EPIPE",
    "socket hang up",
    "connection (?:was )?(?:aborted|closed|lost|reset)",
    "no (?:answer|response)"
  ].join("|"),
  "i"
)

/** An answer that is marked as an error may say so anywhere; another one only in its single line, or as its error. */
const isLost = ({ error, output }: Chat.Answered): boolean => {
  if (output === null) return false
  if (error === true || ChatRun.isError(output)) return lostWords.test(output)
  const value = read(output)
  if (Canonical.isObject(value)) return lostWords.test(errorOf(value))
  return typeof value === "string" && !value.trim().includes("\n") && lostWords.test(value)
}

/** Texts are often recorded bare, and are then no JSON. */
const read = (output: string): Canonical.Json | undefined => {
  try {
    return JsonText.read(output) as Canonical.Json
  } catch {
    return output
  }
}

const errorOf = ({ error }: Canonical.JsonObject): string =>
  typeof error === "string" ? error : String(Canonical.objectOf(error)["message"] ?? "")
