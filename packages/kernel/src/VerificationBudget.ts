/**
 * How often the world may be asked what became of actions: a budget of its own, and part of the state (L13).
 *
 * Each question is counted before it is asked, in the trace, so that neither a
 * crash nor a resume begins afresh. What can no longer be asked about is
 * unverifiable: it is held and said to be so, and is never taken for success.
 *
 * A contract without such a budget counts nothing.
 *
 * @source Action Verification, "Canon Placement" (margin of verification) and "Unverifiable State"
 * @since 0.1.0
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import type { Draft } from "@backstitch/trace/Transition"
import * as BudgetUse from "./BudgetUse.ts"
import { type Decision, end, type Request } from "./Decision.ts"
import * as Finding from "./Finding.ts"
import { resultDraft } from "./internal/evidence.ts"
import { answeredWith, isReportable, subjectOf, unverified } from "./internal/settlement.ts"
import { isExecuting } from "./internal/timeout.ts"
import * as Limits from "./Limits.ts"
import * as Payload from "./Payload.ts"
import * as Recovery from "./Recovery.ts"
import * as Terms from "./Terms.ts"

/**
 * The name under which questions are spent.
 *
 * @category constants
 * @since 0.1.0
 */
export const name = "verification"

/**
 * Counts the question that a decision asks next, or ends it where the budget does not cover that.
 *
 * @category combinators
 * @since 0.1.0
 */
export const spend = (terms: Terms.Terms, state: State, decision: Decision): Decision => {
  const budget = terms.pack?.budget.verification
  const { next } = decision
  if (budget === undefined || !isQuestion(decision)) return decision
  const { request } = next as Extract<typeof next, { readonly _tag: "Call" }>
  const questions = 1 + (request.sources?.length ?? 0)
  const run = Limits.standing(terms.pack!.budget, state).find((each) => each.budget === name)
  const short = exceeded(budget.action, run, state, { action: request.action, questions })
  if (short !== undefined) return exhausted(terms, state, { decision, request, short })
  const asked = Terms.draft(
    { ...terms, tick: terms.tick + decision.drafts.length },
    { action: { id: request.action }, author: "kernel", type: "action.asked" },
    { stamp: { spent: { [name]: questions } } }
  )
  return { ...decision, drafts: [...decision.drafts, asked], flush: "now" }
}

/** A read that is asked for again is a question, too: nothing is sent. */
const isQuestion = ({ drafts, next }: Decision): boolean =>
  next._tag === "Ask" ||
  next._tag === "ReadBack" ||
  (next._tag === "Call" && drafts.some(({ body }) => body.data?.["tried"] !== undefined))

/** Of a run and its forks each may ask as often as its share allows. */
const exceeded = (
  each: number | undefined,
  run: Limits.Standing | undefined,
  state: State,
  about: { readonly action: string; readonly questions: number }
): Short | undefined => {
  const own = (OpenActions.of(state)[about.action]?.asked ?? 0) + about.questions
  if (each !== undefined && own > each) {
    return Finding.make("budget.questions", { asked: own, max: each, per: "action" })
  }
  if (run !== undefined && !Limits.covers(run, about.questions)) {
    const asked = Amount.plus(run.used, about.questions)
    return Finding.make("budget.questions", { asked, max: run.max, per: "run" })
  }
  return undefined
}

/** Nothing more can be learnt. It is said once; whoever resumes is told again, and nothing is asked. */
const exhausted = (
  terms: Terms.Terms,
  state: State,
  about: { readonly decision: Decision; readonly request: Request; readonly short: Short }
): Decision => {
  const { decision, request, short } = about
  const { action: id, tool } = request
  const tick = terms.tick + decision.drafts.length
  const budget = `${name}/${id}`
  const drafts: Array<Draft> = [...decision.drafts]
  const open = OpenActions.of(state)[id]
  if (open?.class === "read_only") {
    const output = Finding.make("failure.unavailable", { tool, why: short })
    const result = resultDraft({ ...terms, tick: tick + 1 }, id, { output, status: "unknown", trust: 1 }, unanswered)
    const data = { budget, why: short }
    const exhausted = Terms.draft({ ...terms, tick }, { author: "kernel", data, type: "budget.exhausted" })
    return end({ _tag: "Failed", tick: tick + 1, error: output }, [...decision.drafts, exhausted, result])
  }
  if (!BudgetUse.of(state).exhausted.includes(budget))
    drafts.push(...report({ ...terms, tick }, state, { ...about, budget }))
  const subject = subjectOf(terms, state, id)
  const told = drafts.findLast(({ body }) => body.type === "recovery.decided")?.body.data?.["decision"]
  const known = subject === undefined ? undefined : answeredIn(subject, decision.drafts)
  if (known !== undefined && typeof told === "string" && isReportable(known, told as RecoveryAction.RecoveryAction)) {
    return unverified(terms, state, known, drafts)
  }
  return {
    drafts,
    flush: "now",
    next: {
      _tag: "End",
      outcome: {
        _tag: "Held",
        tick,
        action: id,
        why: Finding.make("verification.stopped", { tool, why: short })
      }
    }
  }
}

/** The action as it stands once what was answered in the same decision is committed. */
const answeredIn = (subject: Recovery.Subject, drafts: ReadonlyArray<Draft>): Recovery.Subject => {
  const answer = drafts.findLast(({ body }) => body.type === "action.result" && body.result?.status === "ok")
  if (answer === undefined) return subject
  const { body, stamp } = answer
  const as = Payload.of(body, "action.result")?.stage ?? "done"
  return answeredWith(subject, { as, at: stamp.asOf, output: body.result?.output ?? null })
}

type Short = Finding.Finding & { readonly code: "budget.questions" }

const unanswered = { evidence: { _tag: "Unknown", reason: Finding.make("answer.not_allowed", {}) } } as const

const report = (
  terms: Terms.Terms,
  state: State,
  about: { readonly decision: Decision; readonly request: Request; readonly short: Short; readonly budget: string }
): ReadonlyArray<Draft> => {
  const { budget, decision, request, short } = about
  const id = request.action
  const exhausted = Terms.draft(terms, { author: "kernel", data: { budget, why: short }, type: "budget.exhausted" })
  const subject = subjectOf(terms, state, id)
  if (subject === undefined) return [exhausted]
  const known = answeredIn(subject, decision.drafts)
  const isSilent = isExecuting(known)
  const judged = !isSilent ? Recovery.unverifiable : decision.next._tag === "Ask" ? Recovery.ofSilence : Recovery.ofLost
  const recovery = judged(terms, state, known, short)
  const verified = Terms.draft(terms, {
    action: { id },
    author: "kernel",
    data: { ...Recovery.toData(recovery), unmet: [short] },
    result: { output: null, status: "unknown", trust: 1 },
    type: "action.verified"
  })
  const isRead = decision.next._tag === "ReadBack"
  return [exhausted, ...(isRead ? [verified] : []), Recovery.draft(terms, id, recovery)]
}
