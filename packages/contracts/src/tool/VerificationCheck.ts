/**
 * The names of the facts that are compared after an action.
 *
 * Each class of side effects demands some of them. `CheckCoverage` tells which of these a contract makes.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": required post-action check
 */

/** The checks, in the order of the classes. */
export const names = [
  "arguments",
  "tenant",
  "source_identity",
  "integrity",
  "path",
  "existence",
  "content_hash",
  "no_escape",
  "target",
  "version",
  "actor",
  "changed_fields",
  "difference",
  "workflow_status",
  "downstream",
  "provider_transaction",
  "delivery",
  "amount",
  "key",
  "visible_state",
  "approval",
  "policy_version",
  "ledger_entry",
  "every_source"
] as const

/** A fact to compare after an action. */
export type VerificationCheck = (typeof names)[number]

/** Checks that do not apply to a tool, each with its reason. */
export type Waivers = { readonly [Name in VerificationCheck]?: string }
