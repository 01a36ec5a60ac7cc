/**
 * Commits decisions of people: yes or no to an intent that waits for approval, and the settlement of a held action.
 *
 * A decision is made once. The same decision again is answered from the record. A decision after the act is refused,
 * since it would look as if it had allowed or prevented something.
 */
import type * as Outcome from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import type { Json } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import type { Body } from "@backstitch/trace/Transition"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as ApprovedArguments from "../pending/ApprovedArguments.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as PendingApprovals from "../pending/PendingApprovals.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as ActionPage from "../reporting/ActionPage.ts"
import * as Coordinator from "../run/Coordinator.ts"

/** Error for a review that a run does not have. `waiting` lists the reviews that can be decided. */
export class ReviewUnknown extends Schema.TaggedError<ReviewUnknown>("@backstitch/runtime/ReviewUnknown")(
  "ReviewUnknown",
  { run: Schema.String, review: Schema.String, waiting: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const known = this.waiting.length === 0 ? "Nothing waits" : `${this.waiting.join(", ")} waits`
    return `Run ${this.run} has no review "${this.review}". ${known} for a decision`
  }
}

/** Error for a decision without a named person in a role of the pack. */
export class CapacityMissing extends Schema.TaggedError<CapacityMissing>("@backstitch/runtime/CapacityMissing")(
  "CapacityMissing",
  {
    by: Schema.String,
    needs: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    return `Name the role in which ${this.by} decides: ${this.needs.join(" or ")}`
  }
}

/** A change of a question since a person saw it: by its argument or by what happened, before and after. */
const Change = Schema.Struct({ path: Schema.String, seen: Schema.String, now: Schema.String })

/**
 * Error for a decision about a question that does not wait any more: under the same review, another one waits.
 * `changes` say how it differs; there are none if the run never asked what was seen.
 */
export class QuestionChanged extends Schema.TaggedError<QuestionChanged>("@backstitch/runtime/QuestionChanged")(
  "QuestionChanged",
  {
    run: Schema.String,
    review: Schema.String,
    seen: Schema.String,
    asked: Schema.String,
    changes: Schema.Array(Change),
    needs: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    const { asked, issues, review, run, seen } = this
    const said =
      issues.length === 0
        ? `Run ${run} never asked under ${review} what the digest ${seen} names`
        : `Review ${review} of run ${run} asks something else by now: ${issues.map(({ message }) => message).join("; ")}`
    return `${said}. Nothing was decided. Look at it again: its digest is ${asked}`
  }

  /** The changes as places with words. */
  get issues(): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly message: string }> {
    return this.changes.map(({ now, path, seen }) => ({ path: [path], message: `${path} was ${seen} and is ${now}` }))
  }

  /** The step that decides about what waits now. */
  get next(): ReadonlyArray<Next.Next> {
    const { asked: digest, needs, review, run } = this
    return [{ digest, needs, review, run, verb: "decide" }]
  }
}

/** A decision about an intent that waits: its review, the person, and the reason. */
export interface DecisionRequest {
  readonly review: string
  readonly verdict: Reviews.ApprovalVerdict
  /** The digest of the card that the person saw. Without it, the decision is about whatever waits. */
  readonly digest?: Digest | undefined
  readonly by: string
  readonly role?: string | undefined
  readonly reason?: string | undefined
}

/**
 * A decision and its result, as plain JSON.
 *
 * **Details**
 *
 * With `already`, the same decision was made before, and nothing was committed. With `used`, that action was begun
 * under an earlier decision, which still applies.
 */
export interface DecidedReview {
  readonly run: string
  readonly tool: string
  readonly review: string
  readonly verdict: Reviews.ApprovalVerdict
  readonly by: string
  readonly role?: string
  readonly reason?: string
  readonly ok: boolean
  readonly already?: true
  readonly used?: string
  /** The reason for a refusal. */
  readonly why?: string
  readonly next: Next.Next
}

/** Commits a decision about a review of a run. */
export const decide = Effect.fn("ReviewDecision.decide")(function* (run: Run, request: DecisionRequest) {
  const { by, digest, reason, review, role, verdict } = request
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const { state } = yield* handle.position
  const asked = Reviews.of(state).get(review)
  if (asked === undefined) {
    const waiting = Reviews.pending(state).map(([id]) => id)
    return yield* new ReviewUnknown({ run: run.id, review, waiting })
  }
  if (digest !== undefined && digest !== Reviews.digestOf(run, review, asked)) {
    return yield* changed(run, { review, seen: digest, asked })
  }
  const about = { run: run.id, tool: asked.tool, review, verdict }
  const used = yield* PendingApprovals.usedBy(run, review, state)
  if (used !== undefined) {
    const why = (yield* Lexicon.Lexicon).approvals.used({ action: used, review, tool: asked.tool })
    const late: DecidedReview = {
      ...about,
      by,
      ok: false,
      used,
      why,
      next: { action: used, run: run.id, verb: "action" }
    }
    return late
  }
  if (role === undefined) return yield* new CapacityMissing({ by, needs: asked.needs })
  if (asked.verdict === verdict && asked.needs.includes(role)) {
    const own = { by: asked.by ?? by, ...defined({ role: asked.role }) }
    const before: DecidedReview = { ...about, ...own, ok: true, already: true, next: OpenActionStatus.resume(run) }
    return before
  }
  const data = { by, review, role, verdict, ...defined({ reason }) }
  const outcome = yield* handle.propose({ type: "review.decided", author: "user", data, question: digest })
  const ok = outcome._tag === "Done"
  const standing = Reviews.of((yield* handle.position).state).get(review)
  // Another process may have asked something else meanwhile.
  if (!ok && digest !== undefined && standing !== undefined && digest !== Reviews.digestOf(run, review, standing)) {
    return yield* changed(run, { review, seen: digest, asked: standing })
  }
  // The run can continue if no person has to decide any more: after this decision, or after another person's.
  const isOpen = Reviews.pending((yield* handle.position).state).some(([id]) => id === review)
  const next =
    ok || !isOpen ? OpenActionStatus.resume(run) : OpenActionStatus.decide(run, { review, needs: asked.needs }, verdict)
  const decided: DecidedReview = {
    ...about,
    ...data,
    ok,
    ...(ok ? {} : { why: Wording.why(outcome, yield* Lexicon.Lexicon) }),
    next
  }
  return decided
}, Effect.scoped)

/** Finds how the question that waits differs from the one that was seen. */
const changed = Effect.fnUntraced(function* (
  run: Run,
  { asked, review, seen }: { readonly asked: Reviews.Review; readonly review: string; readonly seen: Digest }
) {
  const history = yield* History.History
  const words = yield* Lexicon.Lexicon
  const about = (yield* history.transitions(run)).filter(({ body }) => reviewOf(body) === review)
  const asking = about.flatMap((each) => {
    const data = Payload.of(each.body, "review.requested")
    return data === undefined ? [] : [{ data, question: Reviews.questionOf(data, each.tick) }]
  })
  const now = asking.find(({ question }) => question.tick === asked.tick)
  const then = asking.find(({ question }) => Reviews.digestOf(run, review, question) === seen)
  const changes: Array<typeof Change.Type> = []
  if (then !== undefined && now !== undefined) {
    changes.push({ path: "tick", seen: String(then.question.tick), now: String(asked.tick) })
    for (const { approved, asked, path } of ApprovedArguments.between(then.data.params, now.data.params, words)) {
      changes.push({ path: `params.${path}`, seen: approved, now: asked })
    }
    const made = about.map(({ body }) => Payload.of(body, "review.decided")).findLast((each) => each !== undefined)
    if (made?.verdict !== undefined) {
      const { by = "", role = "", verdict } = made
      changes.push({
        path: "verdict",
        seen: words.approvals.nothing,
        now: words.approvals.decided({ by, role, verdict })
      })
    }
  }
  const digest = Reviews.digestOf(run, review, asked)
  return yield* new QuestionChanged({ run: run.id, review, seen, asked: digest, changes, needs: asked.needs })
})

const reviewOf = (body: Body): string | undefined =>
  (Payload.of(body, "review.requested") ?? Payload.of(body, "review.decided"))?.review

/** The settlement of a held action by a person, with the evidence. */
export interface Settlement {
  readonly action: string
  readonly as: "success" | "failure" | "abandoned" | "reopened" | "resent" | "noted"
  readonly by: string
  readonly evidence: string
  /** The record of the system, if nobody has read the effect of a success. */
  readonly record?: Json | undefined
}

/** A settlement and its result, with the steps that continue, as plain JSON. */
export interface Settled extends Settlement {
  readonly run: string
  readonly ok: boolean
  /** The reason for a refusal. */
  readonly why?: string
  readonly next: ReadonlyArray<Next.Next>
}

/** Commits a settlement. */
export const settle = Effect.fn("ReviewDecision.settle")(function* (run: Run, { record, ...said }: Settlement) {
  const { action } = said
  // An action that the run does not have is refused before anything is opened.
  yield* ActionPage.of(action, { tenant: run.tenant, run })
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const data = { ...said, ...defined({ record }) }
  const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
  const about = { run: run.id, ...data }
  const settled: Settled =
    outcome._tag === "Done"
      ? { ...about, ok: true, next: [OpenActionStatus.resume(run)] }
      : {
          ...about,
          ok: false,
          why: Wording.why(outcome, yield* Lexicon.Lexicon),
          next: outcome._tag === "Refused" ? remedies(outcome, { action, run: run.id }, yield* Lexicon.Lexicon) : []
        }
  return settled
}, Effect.scoped)

const remedies = (refused: Outcome.Refused, at: Next.StepDefaults, words: Words): ReadonlyArray<Next.Next> =>
  Wording.next(refused, words).map((step) => Next.about(step, at))
