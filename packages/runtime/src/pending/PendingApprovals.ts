/** Approvals that wait for a person, in the runs of a tenant, and the actions for which decided approvals were used. */
import * as Condition from "@backstitch/contracts/Condition"
import * as ContextHash from "@backstitch/contracts/ContextHash"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BreakGlass from "@backstitch/kernel/BreakGlass"
import * as ExpressionScope from "@backstitch/kernel/ExpressionScope"
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as PlannerView from "../planner/PlannerView.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as ApprovalTerms from "./ApprovalTerms.ts"
import * as ApprovedArguments from "./ApprovedArguments.ts"

/** Lists the cards of the approvals that wait in a tenant, ordered by run and by time of request. */
export const ofTenant = Effect.fn("PendingApprovals.ofTenant")(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const found: Array<ApprovalCard.ApprovalCard> = []
  for (const info of yield* store.runs(tenant)) found.push(...(yield* ofRun(info)))
  return found
})

/** Lists the cards of the approvals that wait in a run, as its head shows them, by time of request. */
export const ofRun = Effect.fn("PendingApprovals.ofRun")(function* ({ head, parent, run }: TraceStore.RunInfo) {
  const history = yield* History.History
  const { state } = yield* history.at(run, head.tick)
  // An approval is bound to its run: a request by the parent of a fork waits in the parent.
  const own = Reviews.pending(state).filter(([, { tick }]) => tick > (parent?.tick ?? 0))
  const found: Array<ApprovalCard.ApprovalCard> = []
  if (own.length === 0) return found
  const library = yield* PackLibrary.PackLibrary
  const pack = yield* library.inForce(state, head.tick + 1)
  for (const [review, asked] of own) found.push(yield* card({ run, state, pack }, review, asked))
  return found
})

/** The place of a question: its run, with the state and the pack in force at the head. */
interface Place {
  readonly run: Run
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
}

const card = Effect.fnUntraced(function* (place: Place, review: string, asks: Reviews.Review) {
  const { pack, run, state } = place
  const { after, needs, tick, tool } = asks
  const words = yield* Lexicon.Lexicon
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const [decided, asked] = yield* history.transitions(run, { from: tick - 1, to: tick })
  const { params = null, why } = (asked && ApprovedArguments.askingOf(asked.body)) ?? {}
  const { expiresMillis } = (asked && Payload.of(asked.body, "review.requested")) ?? {}
  const digest = Reviews.digestOf(run, review, asks)
  const answer = <const Verdict extends string>(as: Verdict) =>
    ({ verb: "decide", as, run: run.id, review, needs, digest }) as const
  const isGlass = after === undefined && pack !== undefined && BreakGlass.isReviewed(TaskPack.tool(pack, tool))
  const found: ApprovalCard.ApprovalCard = {
    run: run.id,
    review,
    tool,
    params: params as Schema.Json,
    withheld: false,
    digest,
    needs,
    ...(yield* ApprovalTerms.of({ tool, why, after, expiresMillis })),
    tick,
    since: asked === undefined || asked.envelope.ts === 0 ? "" : new Date(asked.envelope.ts).toISOString(),
    changed: asked === undefined ? [] : yield* ApprovedArguments.differ(run, { before: state, transition: asked }),
    ...(after === undefined ? yield* since(place, asks) : { moved: [], revised: [] }),
    unfit: after === undefined ? yield* library.folding(() => unfitOf(place, tool, params)) : [],
    before: decided === undefined ? null : ApprovedArguments.lapsed(decided.body, words),
    after: after ?? null,
    approve: answer("approved"),
    deny: answer("denied"),
    breakGlass: isGlass ? { verb: "resume", run: run.id, breakGlass: review } : null
  }
  return found
})

/**
 * Lists what a call was proposed under and is another one by now: the pack, and the fields of the state on which its
 * contract makes it depend. An approval is bound to these, so it would not count. The goal binds no approval, so its
 * revised clauses are a list of their own.
 */
const since = Effect.fnUntraced(function* ({ pack, run, state }: Place, { bound, tick, tool }: Reviews.Review) {
  const { approvals } = yield* Lexicon.Lexicon
  const library = yield* PackLibrary.PackLibrary
  const history = yield* History.History
  const { state: before } = yield* history.at(run, tick)
  const then = yield* library.inForce(before, tick)
  const named = (each: TaskPack.TaskPack | undefined): string =>
    each === undefined ? approvals.unpacked : `${each.id} ${each.version} (${each.digest.slice(0, 12)})`
  const found: Array<ApprovalCard.Move> = []
  if (bound !== undefined && bound.pack !== pack?.digest) {
    found.push({ path: "pack", asked: named(then), now: named(pack) })
  }
  const { hashSeeds } = TaskPack.governing(then, [tool, "action.request"])
  for (const path of hashSeeds) {
    const [was, is] = [before, state].map((each) => ContextHash.valueAt(each, path))
    const [asked, now] = [was, is].map((value) => (value === undefined ? approvals.nothing : Canonical.encode(value)))
    if (asked !== now) found.push({ path, asked: asked!, now: now! })
  }
  return { moved: found, revised: revisions(clausesOf(then, before), clausesOf(pack, state), approvals) }
})

/**
 * Lists the clauses that a call assumes and does not fit as the goal is now; a condition without an answer says
 * neither. Only a revision is judged by what a call assumes, and a call that has not begun is no act of it, so the
 * person who is asked is the one who can tell.
 */
const unfitOf = ({ pack, state }: Place, tool: string, params: Json): ReadonlyArray<ApprovalCard.UnfitClause> => {
  if (pack === undefined) return []
  const goal = Goal.of(state)
  const inForce = RevisedSpecification.inForce(pack, goal)
  const scope = ExpressionScope.bindings(state, { args: params }, RevisedSpecification.values(pack, goal))
  return (TaskPack.tool(pack, tool).assumes ?? []).flatMap(({ clause, holds }) => {
    if (holds === undefined || !Object.hasOwn(inForce, clause)) return []
    const answer = Condition.holds(holds, scope)
    const isUnfit = Result.isSuccess(answer) && !answer.success
    return isUnfit ? [{ clause, condition: Condition.source(holds) }] : []
  })
}

/** The clauses of a goal, each with its value, or with its condition if it has none. */
const clausesOf = (pack: TaskPack.TaskPack | undefined, state: State): ReadonlyMap<string, string> =>
  new Map(
    PlannerView.clauses(pack, state).map(({ clause, holds, value }) => [
      `clause.${clause}`,
      value === null ? holds : Canonical.encode(value)
    ])
  )

const revisions = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { undeclared, withdrawn }: { readonly undeclared: string; readonly withdrawn: string }
): ReadonlyArray<ApprovalCard.Move> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [asked = undeclared, now = withdrawn] = [before.get(path), after.get(path)]
    return asked === now ? [] : [{ path, asked, now }]
  })

/**
 * The action for which an approval was used, if its effect may stand: another decision of the review would change
 * nothing.
 */
export const usedBy = Effect.fn("PendingApprovals.usedBy")(function* (run: Run, review: string, state: State) {
  const asked = Reviews.of(state).get(review)
  if (asked?.verdict === undefined) return undefined
  const history = yield* History.History
  const histories = ActionHistories.all(yield* history.transitions(run))
  const used = [...histories.values()].findLast(
    (each) =>
      each.approval?.id === review &&
      each.proposed.tick > asked.tick &&
      each.state !== "failed" &&
      ActionHistory.isMutating(each) &&
      ActionHistory.isExecuted(each)
  )
  return used?.id
})
