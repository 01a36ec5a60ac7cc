/**
 * The names of what is compared after an action.
 *
 * Each class of side effects asks for some of them. `CheckCoverage` tells which of
 * those a contract makes.
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

/** A thing to compare after an action. */
export type VerificationCheck = (typeof names)[number]

/** Checks that do not apply to a tool, each with the reason. */
export type Waivers = { readonly [Name in VerificationCheck]?: string }
