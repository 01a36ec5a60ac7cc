/**
 * Attributes of the spans of an action, which lead from telemetry to the ledger and back.
 *
 * Names are those of Action Verification. Spans follow one another from the inference to
 * the recovery; a phase that the action did not reach has none.
 *
 * @source Action Verification, "Trace Linkage and Context Propagation"
 */
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"

/** The attributes, with the purpose of each. */
export const attributes = {
  "action.id": "names the action",
  "workflow.run_id": "the run that it belongs to",
  "tool.name": "the tool of the pack",
  "tool.version": "the version of the pack",
  "verification.policy_version": "the rules by which it was verified",
  "recovery.policy_version": "the table by which recovery was chosen",
  side_effect_class: "how deeply it had to be verified",
  "idempotency.key_hash": "finds its repetitions",
  "approval.id": "the permission, where one was needed",
  "reconciliation.status": "what it came to",
  "discrepancy.class": "in what way it came out differently",
  "ledger.entry_id": "its entry in the ledger"
} as const

/** Name of an attribute. */
export type Attribute = keyof typeof attributes

/** Attributes of an action. An unknown attribute is absent, not empty. */
export type Values = { readonly [Name in Attribute]?: string }

/** The attributes of an entry. */
export const of = (entry: ActionLedgerEntry.ActionLedgerEntry): Values =>
  Object.fromEntries(
    Object.entries({
      "action.id": entry.action_id,
      "workflow.run_id": entry.workflow_run_id,
      "tool.name": entry.tool_contract.name,
      "tool.version": entry.tool_contract.version,
      "verification.policy_version": entry.policy_context.verification_policy_version,
      "recovery.policy_version": entry.policy_context.recovery_policy_version,
      side_effect_class: entry.side_effect_class,
      "idempotency.key_hash": entry.idempotency.key_hash,
      "approval.id": entry.approval.approval_id,
      "reconciliation.status": entry.reconciliation.status,
      "discrepancy.class": entry.reconciliation.discrepancy_class,
      "ledger.entry_id": `${entry.workflow_run_id}/${entry.action_id}`
    } satisfies { readonly [Name in Attribute]: string | null }).filter(([, value]) => value !== null)
  )

/**
 * The attributes by which tools for agents know the span of an action as a call of a tool.
 *
 * Arguments and answers are left out: they may hold anything, and the ledger has them.
 *
 * @source OpenTelemetry, semantic conventions for generative AI
 */
export const genAi = (entry: ActionLedgerEntry.ActionLedgerEntry): { readonly [name: string]: string } => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.call.id": entry.action_id,
  "gen_ai.tool.name": entry.tool_contract.name
})

/** The spans of an action, in the order in which each links to the next. */
export const spans = [
  "inference",
  "validation",
  "wrapper",
  "execution",
  "verification",
  "reconciliation",
  "recovery"
] as const

/** Name of a span. */
export type Span = (typeof spans)[number]

/** A span that took place: its start, and the span before it. */
export interface EarlierSpan {
  readonly span: Span
  readonly at: number
  readonly tick: number
  readonly after: Span | null
}

/** The spans that an action reached, each linked to the one before it. */
export const links = (self: ActionHistory.ActionHistory): ReadonlyArray<EarlierSpan> => {
  const moments: { readonly [Name in Span]: ActionHistory.Moment | undefined } = {
    inference: self.proposed,
    validation: self.validated,
    wrapper: self.started,
    execution: self.observed,
    verification: self.verified,
    reconciliation: self.reconciled,
    recovery: self.decided
  }
  let after: Span | null = null
  return spans.flatMap((span) => {
    const moment = moments[span]
    if (moment === undefined) return []
    const link: EarlierSpan = { span, at: moment.at, tick: moment.tick, after }
    after = span
    return [link]
  })
}
