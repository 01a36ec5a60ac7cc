/**
 * The vocabulary in which runs are described to people: English, unless a layer provides another one.
 *
 * Reports, receipts, pages and explanations take their sentences from the vocabulary, and so does the context of a
 * planner. It affects nothing that is committed.
 *
 * **Example** (Reports in other words)
 *
 * ```ts
 * import * as Vocabulary from "@backstitch/runtime/Vocabulary"
 * import * as English from "@backstitch/wording/English"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.succeed(Vocabulary.Vocabulary, {
 *   ...English.words,
 *   discrepancies: { ...English.words.discrepancies, unknown_state: "we do not know yet whether it worked" }
 * })
 * ```
 */
import * as English from "@backstitch/wording/English"
import type { Words } from "@backstitch/wording/Words"
import * as Context from "effect/Context"

/** The vocabulary of reports, receipts, pages and explanations. */
export const Vocabulary: Context.Reference<Words> = Context.Reference("@backstitch/runtime/Vocabulary", {
  defaultValue: () => English.words
})
