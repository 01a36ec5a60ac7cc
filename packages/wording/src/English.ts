/** The words of every code and fact in English. */
import * as analyses from "./english/analyses.ts"
import * as budgets from "./english/budgets.ts"
import * as checks from "./english/checks.ts"
import * as decisions from "./english/decisions.ts"
import * as discrepancies from "./english/discrepancies.ts"
import * as evidence from "./english/evidence.ts"
import * as holds from "./english/holds.ts"
import * as recoveries from "./english/recoveries.ts"
import * as reviews from "./english/reviews.ts"
import * as statuses from "./english/statuses.ts"
import * as steps from "./english/steps.ts"
import * as undoings from "./english/undoings.ts"
import type { Findings, Words } from "./said/Words.ts"

const findings: Findings = {
  ...analyses.imports,
  ...analyses.rebases,
  ...analyses.remedies,
  ...analyses.searches,
  ...analyses.symptoms,
  ...analyses.ties,
  ...budgets.budgets,
  ...checks.authorship,
  ...checks.shapes,
  ...checks.rules,
  ...decisions.keys,
  ...decisions.decisions,
  ...evidence.silences,
  ...evidence.blindness,
  ...evidence.doubts,
  ...evidence.unmet,
  ...holds.holds,
  ...reviews.failures,
  ...reviews.reviews,
  ...undoings.causes,
  ...undoings.undoings
}

/** English words. */
export const words: Words = {
  checks: checks.summary,
  choices: steps.choices,
  discrepancies: discrepancies.discrepancies,
  facts: discrepancies.facts,
  findings,
  reasons: recoveries.reasons,
  recoveries: recoveries.recoveries,
  statuses: statuses.statuses,
  steps: steps.steps
}
