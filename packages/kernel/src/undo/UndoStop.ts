/**
 * An undo plan that stops, and waits for a person: a reversal has failed, was not approved or would come too late, or
 * its original has changed. Nothing is tried again by itself.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Finding from "../payload/Finding.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * Stops the open plan at a reversal that failed: a person is asked, and nothing is tried again (row 17 of Action
 * Verification). `stop` gives another reason for which the plan stops; a person is asked then, too. `review` names
 * the approval that was denied.
 */
export const stop = (
  terms: DecisionTerms.DecisionTerms,
  open: UndoPlan.OpenPlan,
  failure: {
    readonly undoes: string
    readonly why: Finding.Finding
    readonly before?: CommitContent.CommitContent
    readonly stop?: UndoPlan.Stop
    readonly review?: string
  }
): Decision => {
  const { before = CommitContent.nothing, review: approval, stop: kind, undoes, why } = failure
  const action = { id: undoes }
  const review = `v${terms.tick + CommitContent.size(before)}`
  const outcome = waiting(terms, { ...open, failed: undoes }, why)
  if (kind !== undefined) {
    const denied = approval === undefined ? {} : { approval }
    const data = { decision: "review", stop: kind, stops: undoes, ...denied } as const
    const request = { plan: open.id, review, stop: kind, subject: "undo" } as const
    return end(outcome, { ...before, stops: { action, data }, asks: [{ action, data: request }] })
  }
  const { tool } = open.steps.find((step) => step.undoes === undoes) ?? { tool: "" }
  const recovery = Recovery.ofCompensationFailure(terms, TaskPack.tool(terms.pack, tool).class)
  const stops = Recovery.toContent({ terms, id: undoes }, recovery, { stops: undoes, why })
  const request = { plan: open.id, review, subject: "undo", why } as const
  return end(outcome, { ...before, stops, asks: [{ action, data: request }] })
}

/** Names the reason why a plan waits for a person. */
export const stopped = ({ stop }: { readonly stop?: UndoPlan.Stop | undefined }): Finding.Finding => {
  switch (stop) {
    case "altered":
      return Finding.make("reversal.altered", {})
    case "not_own":
      return Finding.make("reversal.not_own", {})
    case "denied":
      return Finding.make("reversal.not_approved", {})
    case "too_late":
      return Finding.make("reversal.too_late", {})
    default:
      return Finding.make("reversal.failed", {})
  }
}

/** The outcome of a plan that waits for a person. */
export const waiting = (
  terms: DecisionTerms.DecisionTerms,
  { because, failed = "" }: UndoPlan.OpenPlan,
  why: Finding.Finding
) =>
  ({
    _tag: "Held",
    tick: DecisionTerms.standsAt(terms),
    action: failed,
    why: Finding.make("plan.stopped", { because, undoes: failed, why })
  }) as const
