/**
 * Adds reviews, freezes and unchecked items to a decision, by the verification-depth table.
 *
 * The recovery table decides about a discrepancy. Where it leaves that to a person, the action is frozen: it is not
 * asked about, sent or believed until somebody has decided. Where the class of the tool names the event as a reason for
 * a review, a person is asked to look, even if the kernel can go on. The same is asked where only the status of a key
 * shows that an act crossed a boundary. And a settlement names the checks of its class that its contract omits.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class"
 */

import * as CheckCoverage from "@backstitch/contracts/CheckCoverage"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { State } from "@backstitch/reducer/State"
import * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Breach from "./breach.ts"
import * as Reviews from "./Reviews.ts"
import * as ReviewTrigger from "./ReviewTrigger.ts"

/** Adds the reviews, freezes and unchecked items that the table asks for. */
export const apply = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const content = deepened(terms, state, decision.content)
  const reviews = reviewsOf(terms, state, content)
  if (reviews.length > 0) return { ...decision, content: { ...content, reviews }, flush: "now" }
  return content === decision.content ? decision : { ...decision, content }
}

/** Adds freezes, the number of contradictions, and omitted checks to a content. */
const deepened = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  self: CommitContent.CommitContent
): CommitContent.CommitContent => {
  const frozen = recoveries.reduce((each, slot) => CommitContent.changed(each, slot, freezing(state, self)), self)
  const seen = CommitContent.changed(frozen, "verified", (verified) => counted(state, verified))
  return CommitContent.changed(seen, "reconciled", (reconciled) => unchecked(terms, state, reconciled))
}

/**
 * The slots in which the recovery table decides on an action. A stopped plan is not among them: the decision on the
 * plan covers it.
 */
const recoveries = ["noted", "recovery", "follows"] as const

/** Counts one more record that contradicts the contract. */
const counted = (
  state: State,
  verified: CommitContent.Said<"action.verified">
): CommitContent.Said<"action.verified"> => {
  const { action, data, result } = verified
  const open = OpenActions.of(state)[action?.id ?? ""]
  if (open === undefined || result?.status !== "mismatch" || data?.before !== undefined) return verified
  return { ...verified, data: { ...data, mismatches: (open.mismatches ?? 0) + 1 } }
}

/** Freezes an action that the recovery table leaves to a person, unless it is settled. */
const freezing =
  (state: State, { closed = [], reconciled }: CommitContent.CommitContent) =>
  (said: CommitContent.Said<"recovery.decided">): CommitContent.Said<"recovery.decided"> => {
    const id = said.action?.id ?? ""
    const isSettled =
      reconciled?.action?.id === id ||
      closed.some(({ action }) => action?.id === id) ||
      OpenActions.isSettledBy(said, state)
    return OpenActions.of(state)[id] === undefined || isSettled || !freezes(said.data ?? {})
      ? said
      : { ...said, data: { ...said.data, freezes: true } }
  }

/** Tells whether the recovery table leaves an action to a person, and no plan undoes it. */
const freezes = ({ decision, plan, stops, wanted }: Payload.Of<"recovery.decided">): boolean =>
  decision !== undefined &&
  RecoveryAction.needsPerson(decision) &&
  plan === undefined &&
  stops === undefined &&
  wanted === undefined

/** Lists the checks that the contract omits. Without all of them, a critical mutation is not believed. */
const unchecked = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  reconciled: CommitContent.Said<"action.reconciled">
): CommitContent.Said<"action.reconciled"> => {
  const { action, data, result } = reconciled
  const open = OpenActions.of(state)[action?.id ?? ""]
  if (open === undefined || result?.status !== "ok") return reconciled
  const contract = TaskPack.tool(terms.pack, open.tool)
  if (!ToolContract.isMutating(contract) || !contract.known) return reconciled
  const { missing } = CheckCoverage.coverage(contract)
  if (missing.length === 0) return reconciled
  const { trust } = result
  const most = Trust.of("confirmed", { isEnough: !VerificationDepth.isStrict(contract.class) })
  const isLess = trust !== undefined && trust > most
  return { ...reconciled, data: { ...data, unchecked: missing }, result: isLess ? { ...result, trust: most } : result }
}

/**
 * Tells whether the status of its key showed that an action crossed a boundary. A state keeps the record that a
 * readback showed, and no answer about a key, so the review is what stops the run, whatever the class of the tool.
 */
const isAstrayByStatus = ({ recovery }: CommitContent.CommitContent, id: string): boolean =>
  recovery?.action?.id === id &&
  recovery.data?.via === "status" &&
  recovery.data.discrepancy === "wrong_target_modified"

/** Asks a person to look at an action, once for each trigger, however often the trigger fires. */
const reviewsOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  content: CommitContent.CommitContent
): ReadonlyArray<CommitContent.Said<"review.requested">> => {
  const { answered, follows, noted, read, recovery, stops, verified } = content
  const about = [answered, noted, verified, recovery, read, follows, stops]
  const ids = new Set(about.flatMap((said) => (said?.action === undefined ? [] : [said.action.id])))
  return [...ids].flatMap((id) => {
    const open = OpenActions.of(state)[id]
    if (open === undefined) return []
    const contract = TaskPack.tool(terms.pack, open.tool)
    const { review } = VerificationDepth.of(contract.class)
    const happened = ReviewTrigger.of(contract, content, { action: id, mismatches: open.mismatches ?? 0 })
    const isAstray = DecisionRules.binds(state, DecisionRules.breachesStop) && isAstrayByStatus(content, id)
    const triggers = happened.filter(
      (trigger) => review.includes("always") || review.includes(trigger) || (isAstray && Breach.isCrossed(trigger))
    )
    if (triggers.length === 0) return []
    const reviewed = Reviews.ofVerification(state).flatMap(([, each]) =>
      each.action === id ? (each.triggers ?? []) : []
    )
    if (triggers.every((trigger) => reviewed.includes(trigger))) return []
    const name = `v${terms.tick + CommitContent.size(content)}-${id}`
    const why = Finding.make("verification.noticed", { class: contract.class })
    return [{ action: { id }, data: { review: name, subject: Reviews.subject, tool: open.tool, triggers, why } }]
  })
}
