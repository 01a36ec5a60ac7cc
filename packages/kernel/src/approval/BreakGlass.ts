/**
 * Breaking the glass: an emergency procedure by which a person starts a critical mutation without the required
 * approval.
 *
 * The person and the reason are committed, with a request for a review in the same commit. Until another person has
 * accepted what was done, the action may be verified but is not a success.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": critical mutation, human-review trigger
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Json } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Said } from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as Finding from "../payload/Finding.ts"
import * as Reviews from "../review/Reviews.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** A broken glass: the person who broke it, their reason, and the id of the review that follows. */
export interface BreakGlass {
  readonly by: string
  readonly reason: string
  readonly review: string
}

/** The approval that a broken glass replaces: the roles that could have given it, and the review that asked for it. */
export interface ReplacedApproval {
  readonly needs: ReadonlyArray<string>
  readonly replaces?: string | undefined
}

/** Tells whether a mutation needs an approval because of its class, even if the contract asks for none. */
export const isReviewed = (contract: ToolContract.ToolContract): boolean =>
  contract.known && VerificationDepth.isReviewed(contract.class, [])

/**
 * The broken glass of a proposal, if the proposal names a person and a reason, and the tool's class always needs an
 * approval.
 */
export const of = (
  terms: DecisionTerms.DecisionTerms,
  about: {
    readonly contract: ToolContract.ToolContract
    readonly proposal: Proposal
    readonly requestHash: Digest.Digest
  }
): BreakGlass | undefined => {
  const { contract, proposal, requestHash } = about
  const { by = "", reason = "" } = proposal.breakGlass ?? {}
  if (!isReviewed(contract) || by.trim() === "") return undefined
  const invoked = { by, reason, recordedAt: terms.now }
  const review = VerificationDepth.beforeStart(contract.class, { breakGlass: invoked })
  if (review._tag !== "ReviewAfter") return undefined
  const bound = { action: ActionId.at(terms.tick), by, reason, requestHash, run: [terms.run.tenant, terms.run.id] }
  const binding = Digest.ofJson("backstitch.break-glass.1", bound)
  return { by, reason, review: `r${binding.slice(0, 12)}` }
}

/** The review that a broken glass asks for. */
export const requested = (
  self: BreakGlass,
  about: {
    readonly action: string
    readonly tool: string
    readonly params: Json
    readonly requestHash: string
    readonly standing: ReplacedApproval
  }
): Said<"review.requested"> => {
  const { by, reason, review } = self
  const { action, params, requestHash, tool } = about
  const { needs, replaces } = about.standing
  const data = {
    after: action,
    brokenBy: by,
    needs,
    params,
    requestHash,
    ...(replaces === undefined ? {} : { replaces }),
    review,
    tool,
    why: Finding.make("glass.broken", { by, reason, tool })
  }
  return { data }
}

/** Keeps an action from being settled as done while the review of its broken glass is open or denied. */
export const hold = (state: State, decision: Decision): Decision => {
  const { content } = decision
  const { reconciled } = content
  const id = reconciled?.action?.id ?? ""
  const open = OpenActions.of(state)[id]
  if (reconciled?.result?.status !== "ok" || open?.review === undefined) return decision
  const review = Reviews.of(state).get(open.review)
  if (review === undefined || review.verdict === "approved") return decision
  const verified = OpenAction.isRead(open) ? undefined : content.verified
  return {
    content: { ...content, reconciled: undefined, verified },
    flush: "now",
    next: { _tag: "End", outcome: outcomeOf(review, { id, open, review: open.review }) }
  }
}

const outcomeOf = (
  { by = "", needs, tick, verdict }: Reviews.Review,
  about: { readonly id: string; readonly open: OpenAction.OpenAction; readonly review: string }
) => {
  const { id, open, review } = about
  const { tool } = open
  return verdict === "denied"
    ? ({
        _tag: "Held",
        tick,
        action: id,
        why: Finding.make("glass.denied", { by, tool })
      } as const)
    : ({ _tag: "Parked", tick, needs, why: Finding.make("glass.verified", { tool }), review } as const)
}
