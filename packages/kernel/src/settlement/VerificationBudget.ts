/**
 * The budget of verification: how often the world may be asked about outcomes of actions. It is part of the state
 * (L13).
 *
 * Each question is counted in the trace before it is asked, so that the count survives a crash and a resume. An
 * action that may not be asked about any more is unverifiable: it is held and reported so, and never counts as a
 * success.
 *
 * Without such a budget in the contract, nothing is counted.
 *
 * @source Action Verification, "Canon Placement" (margin of verification) and "Unverifiable State"
 */

import * as Amount from "@backstitch/contracts/Amount"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import type * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import { type ActionInFlight, after, answeredWith, findAction } from "../action/ActionInFlight.ts"
import { isExecuting } from "../action/verificationWindow.ts"
import * as BudgetCheck from "../budget/BudgetCheck.ts"
import * as BudgetUse from "../budget/BudgetUse.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import type { CallRequest } from "../decision/Decision.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Finding from "../payload/Finding.ts"
import * as Recovery from "../recovery/Recovery.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import { answerOf } from "../verification/toolAnswer.ts"
import { isReportable, unverified } from "./actionSettlement.ts"

/** The name of the budget from which questions are spent. */
export const name = "verification"

/** Counts the question that a decision asks next, or ends the decision if the budget does not cover the question. */
export const spend = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const budget = terms.pack?.budget.verification
  const { next } = decision
  if (budget === undefined || !isQuestion(decision)) return decision
  const { request } = next as Extract<typeof next, { readonly _tag: "Call" }>
  const questions = 1 + (request.sources?.length ?? 0)
  const run = BudgetCheck.usage(terms.pack!.budget, state).find((each) => each.budget === name)
  const short = exceeded(budget.action, run, state, { action: request.action, questions })
  if (short !== undefined) return exhausted(terms, state, { decision, request, short })
  const asked = { action: { id: request.action }, stamp: { spent: { [name]: questions } } }
  return { ...decision, content: { ...decision.content, asked }, flush: "now" }
}

/** Tells whether a decision asks a question. A repeated read counts, too. */
const isQuestion = ({ next, content }: Decision): boolean =>
  next._tag === "Ask" || next._tag === "ReadBack" || (next._tag === "Call" && content.noted?.data?.tried !== undefined)

/** A run and each of its forks may ask as often as their shares allow. */
const exceeded = (
  each: number | undefined,
  run: BudgetCheck.BudgetUsage | undefined,
  state: State,
  about: { readonly action: string; readonly questions: number }
): Short | undefined => {
  const own = (OpenActions.of(state)[about.action]?.asked ?? 0) + about.questions
  if (each !== undefined && own > each) {
    return Finding.make("budget.questions", { asked: own, max: each, per: "action" })
  }
  if (run !== undefined && !BudgetCheck.covers(run, about.questions)) {
    const asked = Amount.plus(run.used, about.questions)
    return Finding.make("budget.questions", { asked, max: run.max, per: "run" })
  }
  return undefined
}

/**
 * Ends an action that may not be asked about any more. This is committed once; every later resume gets the same
 * answer.
 */
const exhausted = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: { readonly decision: Decision; readonly request: CallRequest; readonly short: Short }
): Decision => {
  const { decision, request, short } = about
  const { action: id, tool } = request
  const budget = `${name}/${id}`
  const { exhausted = [], ...others } = decision.content
  // An exhausted budget is reported before the decisions that follow from it.
  const before = { ...others, short: [...(others.short ?? []), ...exhausted] }
  const used = { ...before, short: [...before.short, { data: { budget, why: short } }] }
  const tick = terms.tick + CommitContent.size(before)
  if (OpenActions.of(state)[id]?.class === "read_only") {
    const output = Finding.make("failure.unavailable", { tool, why: short })
    const read = answerOf(id, { output, status: "unknown", trust: Trust.of("word") }, unanswered)
    return end({ _tag: "Failed", tick: tick + 1, error: output }, { ...used, read })
  }
  const subject = findAction(terms, state, id)
  const answered = subject && answeredIn(subject, decision.content)
  const isNews = !BudgetUse.of(state).exhausted.includes(budget)
  const content = isNews
    ? { ...used, ...(answered && reported(after(answered, CommitContent.size(before)), about)) }
    : before
  const action = CommitContent.decided(content)
  if (
    answered !== undefined &&
    action !== undefined &&
    isReportable(answered, action as RecoveryAction.RecoveryAction)
  ) {
    return unverified(answered, content)
  }
  const why = Finding.make("verification.stopped", { tool, why: short })
  return end({ _tag: "Held", tick, action: id, why }, content)
}

/** Adds the answer of the same decision to an action, as the fold does when it is committed. */
const answeredIn = (subject: ActionInFlight, { answered }: CommitContent.CommitContent): ActionInFlight => {
  if (answered?.result?.status !== "ok") return subject
  const as = answered.data?.stage ?? "done"
  return answeredWith(subject, { as, at: subject.terms.now, output: answered.result.output ?? null })
}

type Short = Finding.Finding & { readonly code: "budget.questions" }

const unanswered = { evidence: { _tag: "Unknown", reason: Finding.make("answer.not_allowed", {}) } } as const

/** Judges an action that may not be asked about any more, and commits what is known of it. */
const reported = (
  subject: ActionInFlight,
  { decision, short }: { readonly decision: Decision; readonly short: Short }
): Pick<CommitContent.CommitContent, "recovery" | "verified"> => {
  const { id } = subject
  const isSilent = isExecuting(subject)
  const judged = !isSilent ? Recovery.unverifiable : decision.next._tag === "Ask" ? Recovery.ofSilence : Recovery.ofLost
  const recovery = judged(subject, short)
  const verified: CommitContent.Said<"action.verified"> = {
    action: { id },
    data: { ...Recovery.toData(recovery), unmet: [short] },
    result: { output: null, status: "unknown", trust: Trust.of("word") }
  }
  const isRead = decision.next._tag === "ReadBack"
  return { recovery: Recovery.toContent(subject, recovery), ...(isRead ? { verified } : {}) }
}
