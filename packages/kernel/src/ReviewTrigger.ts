/**
 * What happened that brings in a person: read off the transitions that a decision is about to commit.
 *
 * | trigger | what the kernel knows it by |
 * | --- | --- |
 * | wrong_tenant | the record is about another tenant, or an expectation over `tenant` is not met |
 * | policy_violation | the record is about another target, actor, region or account, or comes from no approved source |
 * | sandbox_escape | an expectation that checks `no_escape` is not met |
 * | destructive | what was there before is gone |
 * | mismatch, repeated_mismatch | the record contradicts the contract when its time is over, once or again |
 * | partial, stale_state, duplicate | the discrepancy is named so |
 * | declined | the tool refused for good |
 * | unreachable | nobody answered, or reading was refused |
 * | timeout | the time of verification is over, and nothing was shown |
 *
 * A guard that refuses is no trigger: nothing happened. What a violation
 * predicate of the pack finds is reported by it, and is no trigger either.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": human-review trigger
 * @since 0.1.0
 */

import * as Condition from "@backstitch/contracts/Condition"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import type * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Body } from "@backstitch/trace/Transition"
import * as Payload from "./Payload.ts"

type Trigger = VerificationDepth.Trigger

/**
 * Names what the transitions of one action show. `mismatches` counts those that were on record before.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (
  contract: ToolContract.ToolContract,
  bodies: ReadonlyArray<Body>,
  mismatches: number
): ReadonlyArray<Trigger> => {
  const facts = bodies.flatMap((body) => factsOf(readingOf(body).evidence))
  const found = bodies.flatMap((body) => {
    switch (body.type) {
      case "action.verified":
        return Payload.of(body, "action.verified")?.before === undefined ? ofReading(body, mismatches) : []
      case "action.result":
        return body.result?.status === "error" ? (["declined"] as const) : []
      case "recovery.decided":
        // What was answered by replay had its effect once.
        if (Payload.of(body, "recovery.decided")?.decision === "record_replay") return []
        return [...ofReading(body, mismatches), ...ofDiscrepancy(contract, body, facts)]
      default:
        return []
    }
  })
  return [...new Set<Trigger>(found)]
}

const readingOf = (body: Body) => Payload.of(body, "action.verified") ?? Payload.of(body, "recovery.decided") ?? {}

/** What could be read when the time was over. */
const ofReading = (body: Body, mismatches: number): ReadonlyArray<Trigger> => {
  const { result, type } = body
  const { barred, via } = Payload.of(body, "recovery.decided") ?? {}
  const isVerdict = type === "action.verified"
  if (isVerdict && result?.status === "mismatch")
    return mismatches > 0 ? ["mismatch", "repeated_mismatch"] : ["mismatch"]
  if (barred === true) return ["policy_violation"]
  if (!isVerdict && via !== "status" && via !== "call") return []
  if (result?.status === "ok") return []
  switch (readingOf(body).read) {
    case "Unknown":
    case "Error":
      return ["unreachable", "timeout"]
    case "Accepted":
    case "Pending":
      return ["timeout"]
    default:
      return isVerdict && result?.status === "unknown" ? ["timeout"] : []
  }
}

const ofDiscrepancy = (
  contract: ToolContract.ToolContract,
  body: Body,
  facts: ReadonlyArray<string>
): ReadonlyArray<Trigger> => {
  switch (readingOf(body).discrepancy) {
    case "partial_application":
      return ["partial"]
    case "stale_state":
      return ["stale_state"]
    case "duplicate_side_effect":
      return ["duplicate"]
    case "target_missing":
      return ["destructive"]
    case "wrong_target_modified":
      return ofBoundary(contract, facts)
    default:
      return []
  }
}

/** Which boundary was crossed: the scopes that stray, and what the unmet expectations check. */
const ofBoundary = (contract: ToolContract.ToolContract, facts: ReadonlyArray<string>): ReadonlyArray<Trigger> => {
  const { readback } = contract
  const expect = [...(readback?.expect ?? []), ...(readback?.sources ?? []).flatMap((source) => source.expect)]
  const unmet = expect
    .filter((expectation) => facts.includes(Condition.source(expectation)))
    .flatMap((expectation) => VerificationCheck.ofExpectation(expectation, contract))
  const crossed: ReadonlyArray<Trigger> = [
    ...(facts.includes("tenant") || unmet.includes("tenant") ? (["wrong_tenant"] as const) : []),
    ...(unmet.includes("no_escape") ? (["sandbox_escape"] as const) : [])
  ]
  return crossed.length > 0 ? crossed : ["policy_violation"]
}

const factsOf = (evidence: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(evidence)
    ? evidence.flatMap((each) => (Canonical.isObject(each) && typeof each["fact"] === "string" ? [each["fact"]] : []))
    : []
