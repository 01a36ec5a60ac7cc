/**
 * The lexicon in which runs are described to people: English, unless a layer provides another one.
 *
 * Reports, receipts, pages and explanations take their sentences from the lexicon, and so does the context of a
 * planner. It affects nothing that is committed.
 *
 * **Example** (Reports in other words)
 *
 * ```ts
 * import * as Lexicon from "@backstitch/runtime/Lexicon"
 * import * as English from "@backstitch/wording/English"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.succeed(Lexicon.Lexicon, {
 *   ...English.words,
 *   discrepancies: { ...English.words.discrepancies, unknown_state: "we do not know yet whether it worked" }
 * })
 * ```
 */
import * as English from "@backstitch/wording/English"
import type { Words } from "@backstitch/wording/Words"
import * as Context from "effect/Context"

/** The lexicon of reports, receipts, pages and explanations. */
export const Lexicon: Context.Reference<Words> = Context.Reference("@backstitch/runtime/Lexicon", {
  defaultValue: () => English.words
})
