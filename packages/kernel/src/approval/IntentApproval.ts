/**
 * The approval of one intent, as the reviews have it: granted, denied, pending, or to be asked for.
 *
 * An approval is for exactly one intent. It is bound to the run, the tool, the arguments as they will be sent, the
 * occurrence, the context hash and the pack in force. A new review is asked for if one of these differs, if the
 * approval has expired, and for each further call of a tool that recognises no repetition. Only an approval that was
 * given expires: a review that nobody decides stays pending.
 *
 * @source Action Verification, rows 20 and 21 of "Recovery Decision Tables"
 */

import type { State } from "@backstitch/reducer/State"
import * as Digest from "@backstitch/trace/Digest"
import * as BudgetUse from "../budget/BudgetUse.ts"
import * as Check from "../payload/Check.ts"
import type * as Finding from "../payload/Finding.ts"
import * as Reviews from "../review/Reviews.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * The approval that an intent needs: the roles that may approve it, the reason, how long an approval lasts, and the
 * binding.
 */
export interface ApprovalNeed {
  readonly tool: string
  readonly needs: ReadonlyArray<string>
  readonly why: Finding.Finding
  readonly requestHash: string
  readonly context: string | undefined
  readonly occurrence: number
  /** `true` if the tool recognises a repetition, or changes nothing. */
  readonly repeatable: boolean
  readonly expiresMillis?: number | undefined
}

/** The state of the approval for an intent: granted, denied, pending or not asked for. */
export type IntentApproval =
  | {
      readonly _tag: "Granted"
      readonly id: string
      readonly review: Reviews.Review
      readonly expiresAt: number | undefined
    }
  | { readonly _tag: "Denied"; readonly id: string; readonly check: Check.Check }
  | { readonly _tag: "Pending"; readonly id: string; readonly review: Reviews.Review; readonly check: Check.Check }
  | {
      readonly _tag: "Unasked"
      readonly id: string
      readonly binding: string
      readonly check: Check.Check
      /** An approval that was not used yet, and that is not for exactly this call. */
      readonly mismatch?: Mismatch | undefined
    }

/** An unused approval for another pack or another call, and the finding about the difference. */
export interface Mismatch {
  readonly approval: string
  readonly finding: "approval_token_mismatch" | "policy_version_mismatch"
}

/** Looks up the decision on exactly this intent. */
export const of = (terms: DecisionTerms.DecisionTerms, state: State, asked: ApprovalNeed): IntentApproval => {
  const binding = bindingOf(terms, asked)
  const id = `r${binding.slice(0, 12)}`
  const review = Reviews.of(state).get(id)
  const { expiresMillis, needs } = asked
  const unasked = (check: Check.Check): IntentApproval => ({ _tag: "Unasked", id, binding, check })
  if (review === undefined || review.binding !== binding) {
    const mismatch = mismatchOf(terms, state, asked)
    return { _tag: "Unasked", id, binding, check: elsewhere(state, asked), mismatch }
  }
  if (review.verdict === undefined) return { _tag: "Pending", id, review, check: pendingOf(asked) }
  if (review.verdict === "denied") return { _tag: "Denied", id, check: denied(asked, review) }
  const { by = "", role } = review
  const expiresAt = expiresMillis === undefined ? undefined : (review.decidedAt ?? 0) + expiresMillis
  if (expiresAt !== undefined && terms.now >= expiresAt) {
    return unasked(Check.fail("approval", asked.tool, "approval.expired", { by, needs }))
  }
  if (!needs.includes(role ?? "")) {
    return unasked(
      Check.fail("approval", asked.tool, "approval.role", { needs, ...(role === undefined ? {} : { role }) })
    )
  }
  if (!asked.repeatable && BudgetUse.callsOf(BudgetUse.of(state), asked.tool) > (review.calls ?? 0)) {
    return unasked(Check.fail("approval", asked.tool, "approval.used", { by, needs }))
  }
  return { _tag: "Granted", id, review, expiresAt }
}

const bindingOf = (
  terms: DecisionTerms.DecisionTerms,
  { context, occurrence, requestHash, tool }: ApprovalNeed
): string => {
  const bound = {
    context: context ?? null,
    occurrence,
    pack: terms.pack?.digest ?? null,
    requestHash,
    run: [terms.run.tenant, terms.run.id],
    tool
  }
  return Digest.ofJson("backstitch.approval.1", bound)
}

/** Names an approval of another call of the tool, which does not count here, so that a person sees the difference. */
const elsewhere = (state: State, { needs, requestHash, tool }: ApprovalNeed): Check.Check => {
  for (const [id, review] of Reviews.of(state)) {
    if (review.tool !== tool || review.verdict !== "approved") continue
    const code = review.requestHash === requestHash ? "approval.other_binding" : "approval.other_arguments"
    return Check.fail("approval", tool, code, { needs, review: id })
  }
  return Check.fail("approval", tool, "approval.missing", { needs })
}

/** Finds the approval that was given, not used, and is most like the one asked for; of several, the latest. */
const mismatchOf = (terms: DecisionTerms.DecisionTerms, state: State, asked: ApprovalNeed): Mismatch | undefined => {
  const { occurrence, requestHash, tool } = asked
  const calls = BudgetUse.callsOf(BudgetUse.of(state), tool)
  const unused = [...Reviews.of(state)].filter(
    ([, review]) =>
      review.tool === tool && review.verdict === "approved" && review.bound !== undefined && review.calls === calls
  )
  // Under another pack, the same call may need another context.
  const isSame = ([, review]: (typeof unused)[number]): boolean =>
    review.requestHash === requestHash && review.bound?.occurrence === occurrence
  const same = unused.findLast(isSame)
  const [approval, review] = same ?? unused.at(-1) ?? []
  if (approval === undefined) return undefined
  const isAmended = same !== undefined && review?.bound?.pack !== terms.pack?.digest
  return { approval, finding: isAmended ? "policy_version_mismatch" : "approval_token_mismatch" }
}

const pendingOf = ({ needs, tool }: ApprovalNeed): Check.Check =>
  Check.fail("approval", tool, "approval.pending", { needs })

const denied = ({ needs, tool }: ApprovalNeed, { by = "", role = "" }: Reviews.Review): Check.Check =>
  Check.fail("approval", tool, "approval.denied", { by, needs, role })
