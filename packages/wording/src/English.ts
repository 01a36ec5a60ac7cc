/** The words of every code and fact in English. */
import * as analyses from "./english/findings/analyses.ts"
import * as budgets from "./english/findings/budgets.ts"
import * as checks from "./english/findings/checks.ts"
import * as decisions from "./english/findings/decisions.ts"
import * as evidence from "./english/findings/evidence.ts"
import * as holds from "./english/findings/holds.ts"
import * as reviews from "./english/findings/reviews.ts"
import * as revisions from "./english/findings/revisions.ts"
import * as undoings from "./english/findings/undoings.ts"
import * as audits from "./english/pages/audits.ts"
import * as explanations from "./english/pages/explanations.ts"
import * as histories from "./english/pages/histories.ts"
import * as measures from "./english/pages/measures.ts"
import * as openActions from "./english/pages/openActions.ts"
import * as plans from "./english/pages/plans.ts"
import * as proofs from "./english/pages/proofs.ts"
import * as releases from "./english/pages/releases.ts"
import * as reports from "./english/pages/reports.ts"
import * as resumption from "./english/pages/resumption.ts"
import * as rollbacks from "./english/pages/rollbacks.ts"
import * as stages from "./english/pages/stages.ts"
import * as stores from "./english/pages/stores.ts"
import * as topologies from "./english/pages/topologies.ts"
import * as traces from "./english/pages/traces.ts"
import * as discrepancies from "./english/terms/discrepancies.ts"
import * as recoveries from "./english/terms/recoveries.ts"
import * as statuses from "./english/terms/statuses.ts"
import * as steps from "./english/terms/steps.ts"
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
  ...revisions.revisions,
  ...undoings.causes,
  ...undoings.undoings
}

/** English words. */
export const words: Words = {
  approvals: explanations.approvals,
  audits: audits.audits,
  checks: checks.summary,
  choices: steps.choices,
  deliveries: reports.deliveries,
  differences: discrepancies.differences,
  discrepancies: discrepancies.discrepancies,
  explanations: explanations.explanations,
  facts: discrepancies.facts,
  findings,
  histories: histories.histories,
  measures: measures.measures,
  missing: stages.missing,
  openActions: openActions.openActions,
  plans: plans.plans,
  proofs: proofs.proofs,
  reasons: recoveries.reasons,
  receipts: reports.receipts,
  recoveries: recoveries.recoveries,
  releases: releases.releases,
  reports: reports.reports,
  resumption: resumption.resumption,
  rollbacks: rollbacks.rollbacks,
  stores: stores.stores,
  policies: budgets.policies,
  slices: budgets.slices,
  stages: stages.stages,
  statuses: statuses.statuses,
  steps: steps.steps,
  topologies: topologies.topologies,
  traces: traces.traces
}
