/**
 * Commits decisions of people: yes or no to an intent that waits for approval, and the settlement of a held action.
 *
 * A decision is made once. The same decision again is answered from the record. A decision after the act is refused,
 * since it would look as if it had allowed or prevented something.
 */
import type * as Outcome from "@backstitch/kernel/Outcome"
import * as Reviews from "@backstitch/kernel/Reviews"
import type { Json } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
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

/** A decision about an intent that waits: its review, the person, and the reason. */
export interface Request {
  readonly review: string
  readonly verdict: Reviews.Verdict
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
export interface Decided {
  readonly run: string
  readonly tool: string
  readonly review: string
  readonly verdict: Reviews.Verdict
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
export const decide = Effect.fn("ReviewDecision.decide")(function* (run: Run, request: Request) {
  const { by, reason, review, role, verdict } = request
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const { state } = yield* handle.position
  const asked = Reviews.of(state).get(review)
  if (asked === undefined) {
    const waiting = Reviews.pending(state).map(([id]) => id)
    return yield* new ReviewUnknown({ run: run.id, review, waiting })
  }
  const about = { run: run.id, tool: asked.tool, review, verdict }
  const used = yield* PendingApprovals.usedBy(run, review, state)
  if (used !== undefined) {
    const why = (yield* Lexicon.Lexicon).approvals.used({ action: used, review, tool: asked.tool })
    const late: Decided = { ...about, by, ok: false, used, why, next: { action: used, run: run.id, verb: "action" } }
    return late
  }
  if (role === undefined) return yield* new CapacityMissing({ by, needs: asked.needs })
  if (asked.verdict === verdict && asked.needs.includes(role)) {
    const own = { by: asked.by ?? by, ...(asked.role === undefined ? {} : { role: asked.role }) }
    const before: Decided = { ...about, ...own, ok: true, already: true, next: OpenActionStatus.resume(run) }
    return before
  }
  const data = { by, review, role, verdict, ...(reason === undefined ? {} : { reason }) }
  const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
  const ok = outcome._tag === "Done"
  // The run can continue if no person has to decide any more: after this decision, or after another person's.
  const isOpen = Reviews.pending((yield* handle.position).state).some(([id]) => id === review)
  const next =
    ok || !isOpen ? OpenActionStatus.resume(run) : OpenActionStatus.decide(run, { review, needs: asked.needs }, verdict)
  const decided: Decided = {
    ...about,
    ...data,
    ok,
    ...(ok ? {} : { why: Wording.why(outcome, yield* Lexicon.Lexicon) }),
    next
  }
  return decided
}, Effect.scoped)

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

/** Commits a settlement. `wrapper` is the version of the program, as on every page of an action. */
export const settle = Effect.fn("ReviewDecision.settle")(function* (
  run: Run,
  { record, ...said }: Settlement,
  { wrapper }: { readonly wrapper: string }
) {
  const { action } = said
  // An action that the run does not have is refused before anything is opened.
  yield* ActionPage.of(action, { tenant: run.tenant, run, wrapper })
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const data = { ...said, ...(record === undefined ? {} : { record }) }
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

const remedies = (refused: Outcome.Refused, at: Next.About, words: Words): ReadonlyArray<Next.Next> =>
  Wording.next(refused, words).map((step) => Next.about(step, at))
