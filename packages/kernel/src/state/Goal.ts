/**
 * The goal as folded state: its name, its clauses as revisions have left them, and whether it was declared reached.
 *
 * | folded | the goal |
 * | --- | --- |
 * | `revision.injected` | has the changed clauses at once, and is pending: nothing is begun for it |
 * | `revision.absorbed` | is no longer pending |
 *
 * @source Revisable by Design, section 4.2
 */
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as Part from "@backstitch/reducer/Part"
import * as ReducerPayload from "@backstitch/reducer/Payload"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Check from "../payload/Check.ts"
import { payloads as revisionPayloads } from "../payload/revisionPayloads.ts"
import type { DecisionTerms } from "./DecisionTerms.ts"

/** The clauses of a goal. */
interface Clauses extends JsonObject {
  readonly clauses: JsonObject
  /** Clauses that revisions have added. */
  readonly added?: { readonly [clause: string]: AddedClause } | undefined
  readonly withdrawn?: ReadonlyArray<string> | undefined
  /** The order that a revision has given. */
  readonly priority?: ReadonlyArray<string> | undefined
}

interface AddedClause extends JsonObject {
  readonly holds: string
  readonly description?: string | undefined
}

/**
 * Revisions that were not absorbed yet: the goal before them, and their ticks. `keeps` and `widens` are those of the
 * last one, which were given for the plan of all: the acts that fit, and whether acts that would block the plan are
 * given up.
 */
export interface Pending extends JsonObject {
  readonly before: Clauses
  readonly ticks: ReadonlyArray<number>
  readonly keeps?: ReadonlyArray<string> | undefined
  readonly widens?: true | undefined
}

/** A finished run that another one follows, and the tick of its head by then. */
export interface FollowedRun extends JsonObject {
  readonly run: string
  readonly tick: number
}

/** The goal in force. */
export interface Goal extends Clauses {
  readonly id: string
  readonly text: string
  readonly completedAt?: number | undefined
  /** The finished runs that this run follows, the last one first. */
  readonly follows?: ReadonlyArray<FollowedRun> | undefined
  readonly pending?: Pending | undefined
  /** The tick of the last revision. */
  readonly revisedAt?: number | undefined
  /** Subgoals of the pack that were declared reached, with the tick of each. */
  readonly reached?: { readonly [subgoal: string]: number } | undefined
}

/** The payloads that the part reads. */
const views = { ...ReducerPayload.payloads, ...revisionPayloads }

/** The part of the fold that keeps the goal. */
export const part: Part.Part<Goal> = Part.make<Goal, typeof views>("goal", {
  version: 1,
  init: { clauses: {}, id: "", text: "" },
  on: {
    "run.started": (self, { body }) => ({
      ...self,
      clauses: body.data.clauses,
      id: body.goal ?? "",
      text: body.data.goal,
      ...defined({ follows: body.data.follows })
    }),
    // Without a subgoal, the goal itself is declared.
    "goal.complete": (self, { body, tick }) => {
      const subgoal = body.data?.reachedSubgoal
      return subgoal === undefined
        ? { ...self, completedAt: tick }
        : { ...self, reached: { ...self.reached, [subgoal]: tick } }
    },
    "revision.injected": (self, { body, tick }) => {
      const { changes, keeps, widens } = body.data
      const { before, ticks } = self.pending ?? { before: clausesOf(self), ticks: [] }
      const says = defined({ keeps, widens })
      return {
        ...RevisedSpecification.revise(self, changes),
        pending: { before, ticks: [...ticks, tick], ...says },
        revisedAt: tick
      }
    },
    "revision.absorbed": ({ pending: _, ...self }) => self as Goal
  }
})

const clausesOf = ({ added, clauses, priority, withdrawn }: Goal): Clauses => ({
  clauses,
  ...defined({ added, withdrawn, priority })
})

/** The payload by which a goal is declared reached, before the check against its schema: a field may have any value. */
export interface GoalDeclaration extends JsonObject {
  readonly reachedSubgoal?: Json | undefined
  readonly subgoal?: Json | undefined
}

/**
 * Judges a declaration that the goal, or one of the pack's subgoals, is reached; each can be declared once. The
 * commit names the subgoal as `reachedSubgoal`, which only the kernel writes.
 */
export const complete = (
  { pack }: Pick<DecisionTerms, "pack">,
  state: State,
  given: GoalDeclaration
): { readonly checks: ReadonlyArray<Check.Check>; readonly data: JsonObject } => {
  const { reachedSubgoal: _, ...data } = given
  const { subgoal } = given
  const named = isSubgoal(pack, given) ? String(subgoal) : undefined
  const { completedAt, reached = {} } = of(state)
  const at = completedAt ?? (named !== undefined && Object.hasOwn(reached, named) ? reached[named] : undefined)
  const id = named ?? of(state).id
  return {
    checks: at === undefined ? [] : [Check.fail("policy", `goal.${id}`, "goal.reached", { since: at })],
    data: named === undefined ? data : { ...data, reachedSubgoal: named }
  }
}

/** Tells whether a declaration is about one of the pack's subgoals. */
export const isSubgoal = (pack: DecisionTerms["pack"], { subgoal }: GoalDeclaration): boolean =>
  typeof subgoal === "string" && pack?.progress?.subgoals.includes(subgoal) === true

/** The goal of a state. */
export const of = (state: State): Goal => Part.get(part, state)

/** Tells whether a goal was declared reached as it stands: a revision since then wants something else. */
export const isReached = (state: State): boolean => of(state).completedAt !== undefined && !isRevisedSince(state)

/** Tells whether a goal was revised after it was reached: what remains to be done is another run. */
export const isRevisedSince = (state: State): boolean => {
  const { completedAt, revisedAt = 0 } = of(state)
  return completedAt !== undefined && revisedAt > completedAt
}

/** Tells whether a run follows another one, directly or by way of further runs. */
export const isFollowing = (state: State, run: string): boolean =>
  of(state).follows?.some((followed) => followed.run === run) === true

/** Refuses acts for a goal of which a revision was not absorbed: they would be based on what it replaces. */
export const revised = (state: State): ReadonlyArray<Check.Check> => {
  const [since] = of(state).pending?.ticks ?? []
  return since === undefined ? [] : [Check.fail("policy", "revision", "revision.pending", { since })]
}

/** Refuses the completion of the goal while a step behind a pivot is owed. */
export const owing = (state: State): ReadonlyArray<Check.Check> =>
  Obligations.all(state).map(({ pivot, skeleton, steps }) =>
    Check.fail("policy", `remaining.${skeleton}`, "forward.remains", { pivot, steps })
  )
