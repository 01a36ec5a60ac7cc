/**
 * Requests for an approval or a review, and the decisions on them, as folded state.
 *
 * `IntentApproval` looks up the approval of an intent, and `reviewVerdict` checks a decision on one. A denied approval
 * is asked for again if a person reopens the undoing, or the steps behind a pivot, that it belongs to. A request that
 * nobody has decided stays open until the goal is reached. The run has finished then, and the request is withdrawn.
 *
 * A review that verification asked for is about an action. It ends with a decision about the action, or with the
 * proof that the action succeeded.
 *
 * @source docs/ARCHITECTURE.md, "The life of a mutation"
 */
import * as Obligations from "@backstitch/ledger/Obligations"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Digest from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as BudgetUse from "../budget/BudgetUse.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Goal from "../state/Goal.ts"

/**
 * A review. Without `verdict` it is pending. `decidedAt` is in epoch milliseconds; `calls` is the number of calls of
 * the tool until then.
 */
export interface Review extends Canonical.JsonObject {
  /** The action that is reviewed afterwards, because the glass was broken for it. */
  readonly after?: string | undefined
  /** The person who broke the glass. A different person has to accept what was done. */
  readonly brokenBy?: string | undefined
  readonly binding: string
  /** The parts of the binding, so that a difference can be named. */
  readonly bound?: Bound | undefined
  readonly needs: ReadonlyArray<string>
  readonly requestHash: string
  readonly tick: number
  readonly tool: string
  /** The action that a person has to look at, and the reason. */
  readonly action?: string | undefined
  readonly triggers?: ReadonlyArray<string> | undefined
  readonly why?: Payload.Of<"review.requested">["why"] | undefined
  readonly by?: string | undefined
  readonly calls?: number | undefined
  readonly decidedAt?: number | undefined
  readonly reason?: string | undefined
  readonly role?: string | undefined
  readonly verdict?: ApprovalVerdict | "ended" | undefined
}

/** The parts of a binding beside the run, the tool and its arguments. */
export interface Bound extends Canonical.JsonObject {
  readonly context?: string
  readonly occurrence: number
  readonly pack?: string
}

/** The verdict of a person on a call. */
export type ApprovalVerdict = "approved" | "denied"

/** The subject of a review that verification asks for. */
export const subject = "verification"

/** Keeps the reason of a review that disputes or contradicts a settlement. */
const because = ({ why }: Payload.Of<"review.requested">): Pick<Review, "why"> =>
  why?.code === "verification.disputed" || why?.code === "verification.contradicted" ? { why } : {}

/** Ends the open reviews of an action that was proven, or that a person decided. */
const ended = (self: Table.Table<Review>, action: string): Table.Table<Review> =>
  [...self]
    .filter(([, review]) => review.action === action && review.verdict === undefined)
    .reduce((rest, [id, review]) => rest.set(id, { ...review, verdict: "ended" }), self)

/**
 * Forgets the denials of an undoing, or of steps behind a pivot, that a person reopens. Their approval is asked for
 * again.
 */
const reopened = (
  self: Table.Table<Review>,
  { as, obligation, plan }: Payload.Of<"review.decided">,
  before: State
): Table.Table<Review> => {
  if (as !== "reopened") return self
  const undoing = plan === undefined ? undefined : UndoPlan.open(before)
  const { steps = [] } = Obligations.all(before).find(({ id }) => id === obligation) ?? {}
  return [...self]
    .filter(([id, { tool, verdict }]) => verdict === "denied" && (id === undoing?.approval || steps.includes(tool)))
    .reduce((rest, [id]) => rest.delete(id), self)
}

/** The part of the fold that keeps reviews, by id. */
export const part: Part.Part<Table.Table<Review>> = Part.make<Table.Table<Review>, typeof Payload.payloads>("reviews", {
  version: 1,
  init: Table.empty,
  on: {
    "review.requested": (self, { body, tick }) => {
      const { after, binding = "", bound, brokenBy, needs = [], requestHash = "", replaces } = body.data
      const others = replaces === undefined ? self : self.delete(replaces)
      const { review, tool = "", triggers = [] } = body.data
      return others.set(review, {
        ...defined({ after, brokenBy }),
        binding,
        ...defined({ bound }),
        needs,
        requestHash,
        tick,
        tool,
        ...(body.data.subject === subject ? { action: body.action?.id ?? "", triggers, ...because(body.data) } : {})
      })
    },
    "action.reconciled": (self, { body: { action, result } }) =>
      result?.status === "ok" ? ended(self, action?.id ?? "") : self,
    "review.decided": (self, { body, stamp }, before) => {
      const { by = "", reason, review: id, role = "", verdict } = body.data ?? {}
      if (id === undefined) return ended(reopened(self, body.data ?? {}, before), body.action?.id ?? "")
      const review = self.get(id)
      if (review === undefined || madeBefore(review) !== undefined || (verdict !== "approved" && verdict !== "denied"))
        return self
      const calls = BudgetUse.callsOf(BudgetUse.of(before), review.tool)
      const why = reason === undefined ? {} : { reason }
      return self.set(id, { ...review, by, calls, decidedAt: stamp.asOf, ...why, role, verdict })
    }
  }
})

/** The reviews of a state, by id. */
export const of = (state: State): Table.Table<Review> => Part.get(part, state)

/**
 * Lists the open reviews of calls, with their ids. A stopped undoing is not among them: it is held, and a person
 * resolves it. A review of a call that was never sent is withdrawn once the goal is reached.
 */
export const pending = (state: State): ReadonlyArray<readonly [string, Review]> =>
  [...of(state)]
    .filter(([, review]) => review.verdict === undefined && review.requestHash !== "" && !isWithdrawn(state, review))
    .sort(([, one], [, other]) => one.tick - other.tick)

/** Tells whether a review was withdrawn because the goal was reached first. A review of a broken glass never is. */
const isWithdrawn = (state: State, { after, tick }: Review): boolean => {
  const { completedAt } = Goal.of(state)
  return after === undefined && completedAt !== undefined && tick < completedAt
}

/** Lists the open reviews that verification asked for, oldest first. */
export const ofVerification = (state: State): ReadonlyArray<readonly [string, Review & { readonly action: string }]> =>
  [...of(state)]
    .flatMap(([id, review]) =>
      review.action === undefined || review.verdict !== undefined
        ? []
        : [[id, review as Review & { readonly action: string }] as const]
    )
    .sort(([, one], [, other]) => one.tick - other.tick)

/** The open review of an action because evidence contradicts its settlement. */
export const dispute = (state: State, action: string): Review | undefined =>
  ofVerification(state).find(([, review]) => review.action === action && review.why !== undefined)?.[1]

/**
 * The verdict that ends a review of a settled action. A failure of which the provider says that it was done stays in
 * dispute until a person calls it a failure. Of any other action it is enough that a person has looked at it.
 */
export const endedBy = ({ why }: Pick<Review, "why">): "failure" | "noted" =>
  why?.code === "verification.disputed" && why.args.said === "done" ? "failure" : "noted"

/**
 * The digest of the question that a review asks: whoever decides may name it, and then decides about nothing else.
 *
 * **Details**
 *
 * The name of a review is short, and stays when the same call is asked for again, such as after an approval was used
 * or has expired. The digest covers the whole binding, the roles, and the tick at which the question was asked.
 */
export const digestOf = (run: Run, id: string, question: ReviewQuestion): Digest.Digest => {
  const { after = null, binding, needs, requestHash, tick, tool } = question
  const asked = { after, binding, needs, requestHash, review: id, run: [run.tenant, run.id], tick, tool }
  return Digest.ofJson("backstitch.question.1", asked)
}

/** The question that a request for review asks at a tick. */
export const questionOf = (
  { after, binding = "", needs = [], requestHash = "", tool = "" }: Payload.Of<"review.requested">,
  tick: number
): ReviewQuestion => ({ ...defined({ after }), binding, needs, requestHash, tick, tool })

/** The parts of a review that its question consists of. */
export type ReviewQuestion = Pick<Review, "after" | "binding" | "needs" | "requestHash" | "tick" | "tool">

/** Answers the decision that was made on a review, or nothing while it is open. */
export const madeBefore = ({ by = "", decidedAt: at = 0, reason, role = "", verdict }: Review) =>
  verdict === "approved" || verdict === "denied" ? { at, by, ...defined({ reason }), role, verdict } : undefined

/**
 * Tells whether the reviewer is the person who broke the glass, however the name is spelt. Nobody may accept their
 * own emergency action.
 */
export const isBrokenBy = ({ brokenBy }: Review, name: string): boolean =>
  brokenBy !== undefined && brokenBy.trim().toLowerCase() === name.trim().toLowerCase()
