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

/** The fact that each check compares, in words. */
export const facts: { readonly [Name in VerificationCheck]: string } = {
  arguments: "that the answer is to the arguments that were asked",
  tenant: "the tenant that the record shows",
  source_identity: "the identity of the source that answered",
  integrity: "that the answer arrived whole",
  path: "the path that was written",
  existence: "that the record exists",
  content_hash: "the digest of the content",
  no_escape: "that nothing outside of the sandbox was changed",
  target: "the target that the record shows",
  version: "the version of the record",
  actor: "the actor that the record shows",
  changed_fields: "the fields that were changed",
  difference: "the difference to the record before the call",
  workflow_status: "the status of the workflow",
  downstream: "the effects further down",
  provider_transaction: "the provider's own transaction",
  delivery: "that it was delivered",
  amount: "the amount",
  key: "the idempotency key on the record",
  visible_state: "the state that others see",
  approval: "the approval that the record names",
  policy_version: "the version of the policy that decided",
  ledger_entry: "the entry in a ledger",
  every_source: "that every source agrees"
}

/** Checks that do not apply to a tool, each with its reason. */
export type Waivers = { readonly [Name in VerificationCheck]?: string }
