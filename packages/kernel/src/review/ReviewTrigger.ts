/**
 * The triggers of a review, found in the content of a decision.
 *
 * | trigger | condition |
 * | --- | --- |
 * | wrong_tenant | the record is about another tenant, or an expectation over `tenant` is not met |
 * | policy_violation | the record is about another target, actor, region or account, or has no approved source |
 * | sandbox_escape | an expectation that checks `no_escape` is not met |
 * | destructive | the record from before the call is gone |
 * | mismatch, repeated_mismatch | the record contradicts the contract when its time is over, once or repeatedly |
 * | partial, stale_state, duplicate | the discrepancy has this name |
 * | declined | the tool refused for good |
 * | unreachable | no answer came, or the read was refused |
 * | timeout | the time of verification is over, and no effect was shown |
 *
 * A refusing guard is no trigger, because nothing happened. A violation predicate of the pack reports its own
 * findings, and is no trigger either.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": human-review trigger
 */

import * as CheckCoverage from "@backstitch/contracts/CheckCoverage"
import * as Condition from "@backstitch/contracts/Condition"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import type * as Payload from "../payload/Payload.ts"

type Trigger = VerificationDepth.Trigger

/** Names the triggers of one action in a content. `mismatches` counts the mismatches on record before. */
export const of = (
  contract: ToolContract.ToolContract,
  content: CommitContent,
  { action, mismatches }: { readonly action: string; readonly mismatches: number }
): ReadonlyArray<Trigger> => {
  const ofAction = <S extends AnySaid>(said: S | undefined) => (said?.action?.id === action ? said : undefined)
  const { answered, follows, noted, read, recovery, stops, verified } = content
  const facts = () =>
    [verified, noted, recovery, follows, stops].flatMap((said) => factsOf(ofAction(said)?.data?.evidence))
  const decided = (said: Said<"recovery.decided"> | undefined) => ofDecision(contract, ofAction(said)?.data, facts)
  const found = [
    ofAnswer(ofAction(answered)),
    decided(noted),
    ofVerdict(ofAction(verified), mismatches),
    decided(recovery),
    ofAnswer(ofAction(read)),
    decided(follows),
    decided(stops)
  ]
  return [...new Set(found.flat())]
}

type AnySaid = Pick<Said<"action.asked">, "action">

const ofAnswer = (answered: Said<"action.result"> | undefined): ReadonlyArray<Trigger> =>
  answered?.result?.status === "error" ? ["declined"] : []

/** Finds the triggers of a verdict. A read before the call shows nothing of the call's effect. */
const ofVerdict = (verified: Said<"action.verified"> | undefined, mismatches: number): ReadonlyArray<Trigger> => {
  const { data, result } = verified ?? {}
  if (result === undefined || data?.before !== undefined || result.status === "ok") return []
  if (result.status === "mismatch") return mismatches > 0 ? ["mismatch", "repeated_mismatch"] : ["mismatch"]
  const unread = ofReading(data?.read)
  return unread.length === 0 && result.status === "unknown" ? ["timeout"] : unread
}

const ofDecision = (
  contract: ToolContract.ToolContract,
  decided: Payload.Of<"recovery.decided"> | undefined,
  facts: () => ReadonlyArray<string>
): ReadonlyArray<Trigger> => {
  // A replayed answer means that the effect happened once.
  if (decided === undefined || decided.decision === "record_replay") return []
  const { barred, read, via } = decided
  const isAsked = via === "status" || via === "call"
  return [
    ...(barred === true ? (["policy_violation"] as const) : isAsked ? ofReading(read) : []),
    ...ofDiscrepancy(contract, decided.discrepancy, facts)
  ]
}

/** Finds the triggers of a last read that showed nothing. */
const ofReading = (read: string | undefined): ReadonlyArray<Trigger> => {
  switch (read) {
    case "unknown":
    case "error":
      return ["unreachable", "timeout"]
    case "accepted":
    case "pending":
      return ["timeout"]
    default:
      return []
  }
}

const ofDiscrepancy = (
  contract: ToolContract.ToolContract,
  discrepancy: string | undefined,
  facts: () => ReadonlyArray<string>
): ReadonlyArray<Trigger> => {
  switch (discrepancy) {
    case "partial_application":
      return ["partial"]
    case "stale_state":
      return ["stale_state"]
    case "duplicate_side_effect":
      return ["duplicate"]
    case "target_missing":
      return ["destructive"]
    case "wrong_target_modified":
      return ofBoundary(contract, facts())
    default:
      return []
  }
}

/** Finds the boundary that was crossed, from scopes that differ and from unmet expectations. */
const ofBoundary = (contract: ToolContract.ToolContract, facts: ReadonlyArray<string>): ReadonlyArray<Trigger> => {
  const { readback } = contract
  const expect = [...(readback?.expect ?? []), ...(readback?.sources ?? []).flatMap((source) => source.expect)]
  const unmet = expect
    .filter((expectation) => facts.includes(Condition.source(expectation)))
    .flatMap((expectation) => CheckCoverage.ofExpectation(expectation, contract))
  const crossed: ReadonlyArray<Trigger> = [
    ...(facts.includes("tenant") || unmet.includes("tenant") ? (["wrong_tenant"] as const) : []),
    ...(unmet.includes("no_escape") ? (["sandbox_escape"] as const) : [])
  ]
  return crossed.length > 0 ? crossed : ["policy_violation"]
}

const factsOf = (evidence: ReadonlyArray<{ readonly fact: string }> = []): ReadonlyArray<string> =>
  evidence.map(({ fact }) => fact)
