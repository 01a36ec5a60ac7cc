/** The words of every code in English. */
import * as analyses from "./english/analyses.ts"
import * as checks from "./english/checks.ts"
import * as decisions from "./english/decisions.ts"
import * as evidence from "./english/evidence.ts"
import * as outcomes from "./english/outcomes.ts"
import type { Words } from "./said/Said.ts"

/** English words. */
export const words: Words = {
  ...analyses.imports,
  ...analyses.rebases,
  ...analyses.remedies,
  ...analyses.searches,
  ...analyses.symptoms,
  ...analyses.ties,
  ...checks.authorship,
  ...checks.shapes,
  ...checks.rules,
  ...checks.budgets,
  ...decisions.keys,
  ...decisions.decisions,
  ...outcomes.holds,
  ...outcomes.undoings,
  ...outcomes.causes,
  ...outcomes.reviews,
  ...outcomes.failures,
  ...evidence.silences,
  ...evidence.blindness,
  ...evidence.doubts,
  ...evidence.unmet
}
