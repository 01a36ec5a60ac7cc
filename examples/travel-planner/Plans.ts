/** Recorded travel plans, one a line, read as if a call had filled each slot. */
import * as Chat from "@backstitch/importers/Chat"
import type { Format } from "@backstitch/importers/Format"
import * as Result from "effect/Result"

/** The slots of a day, in the order in which they are filled. */
export const slots = [
  "current_city",
  "transportation",
  "breakfast",
  "attraction",
  "lunch",
  "dinner",
  "accommodation"
] as const

interface Plan {
  readonly idx: number
  readonly query: string
  /** Some wishes have no plan as an answer. */
  readonly plan: ReadonlyArray<{ readonly [slot: string]: string | number } & { readonly day: number }> | null
}

/** The format, for `Import`. Message 0 is the wish; messages `2 n - 1` and `2 n` fill slot `n`, counted from 1. */
export const format: Format = {
  name: "travel-plans",
  framing: "line",
  parse: (line) => {
    const { idx, plan, query } = JSON.parse(line) as Plan
    const builder = new Chat.Builder()
    builder.message().received("user", query)
    let count = 0
    for (const day of plan ?? []) {
      for (const slot of slots) {
        count++
        const args = { day: day.day, slot, value: String(day[slot] ?? "-") }
        builder.message().called({ id: `slot-${count}`, tool: "fill_slot", args })
        builder.message().answered(`slot-${count}`, "filled")
      }
    }
    return Result.succeed([builder.done({ task: String(idx) })])
  }
}
