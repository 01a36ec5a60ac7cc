/** A planner and its tools, and the loop in which the planner proposes and the kernel decides. */
import * as BudgetCheck from "@backstitch/kernel/BudgetCheck"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"
import * as PlannerView from "../planner/PlannerView.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Planner from "../ports/Planner.ts"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"
import { toTraceArguments } from "../ports/traceJson.ts"
import * as Revising from "../revisions/Revising.ts"
import type * as RevisionReading from "../revisions/RevisionReading.ts"
import * as AlarmHold from "../run/AlarmHold.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as ActionSpans from "../telemetry/ActionSpans.ts"
import * as CrackQuestion from "../topology/CrackQuestion.ts"
import * as Roles from "../topology/Roles.ts"
import * as TopologyRun from "../topology/TopologyRun.ts"
import * as LoopGuard from "./LoopGuard.ts"
import * as SelfRecovering from "./SelfRecovering.ts"

/**
 * An agent as a module exports it: `export default { pack, goal, steps, tools } satisfies Agent.Agent`.
 *
 * **Details**
 *
 * `pack` is the path of its pack, relative to the module. An agent has either `steps`, a script, or `next`, a
 * function that proposes, or `roles`, if its pack declares a topology of several agents.
 */
export interface Agent {
  readonly pack: string
  readonly goal: string
  readonly text?: string | undefined
  readonly clauses?: JsonObject | undefined
  readonly steps?: ReadonlyArray<Planner.ScriptStep> | undefined
  readonly next?: Planner.PlannerFunction | undefined
  /** Takes the loop over where the planner is stuck, under a pack that declares the loop. */
  readonly fallback?: Planner.PlannerFunction | undefined
  /** The roles of a topology of several agents, in the place of a planner. */
  readonly roles?: { readonly [role: string]: Roles.Role } | undefined
  readonly tools: ToolExecutor.Tools
  /** Turns what the user said into changes of the goal, by the planner's model. */
  readonly revise?: RevisionReading.Reader | undefined
}

/** The outcome of one step of the loop, and its transitions, the last of which may wait for the next commit. */
export interface LoopStep {
  readonly outcome: Outcome
  readonly transitions: ReadonlyArray<Transition>
}

/** An emergency: the person who starts a call without the approval for which it waits in a review, and the reason. */
export interface Emergency {
  readonly review: string
  readonly by: string
  readonly reason: string
}

/** A call that the user wants to make once more: its arguments, and the number of the occurrence. */
export interface Again {
  readonly tool: string
  readonly params: Json
  readonly occurrence: number
}

/** Requests of people for a loop, beside its planner. */
export interface Wishes {
  readonly emergency?: Emergency | undefined
  readonly again?: Again | undefined
  /** Asked before the planner is: `true` if this process leaves the run, between two steps, to another one. */
  readonly leaves?: (() => boolean) | undefined
}

/**
 * Lets the planner propose until it is done, or until the run waits for a person or an unknown outcome.
 *
 * **Details**
 *
 * Actions that a crash left open are settled first. A planner that is refused again and again, or because the run has
 * used up its steps, its time or another budget of every proposal, is not asked any more. Nor is one that declares a
 * goal reached which it has declared.
 * Under a pack that declares a topology of several agents, its roles work in the place of the planner, if they are
 * given. `visit` is called with each step and its transitions. With an `emergency`, the proposal that waits in exactly
 * that review is started, and no other. With `again`, exactly that call is made once more, authored by the user.
 */
export const run = (handle: RunHandle.RunHandle, visit: (step: LoopStep) => void = () => {}, more: Wishes = {}) =>
  Effect.tap(steps(handle, visit, more), () => handle.flush)

const steps = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, visit: (step: LoopStep) => void, more: Wishes) {
  const { emergency } = more
  const planner = yield* Planner.Planner
  const words = yield* Lexicon.Lexicon
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const roles = yield* Effect.serviceOption(Roles.Roles)
  const begun = yield* handle.standing
  const topology = (yield* library.inForce(begun.state, begun.tick + 1))?.topology
  let follower = PlannerView.make(handle.run.id, words)
  let guard = LoopGuard.make(topology)
  let seen = 0
  let durable = 0
  let overtaken = 0

  const catchUp = Effect.gen(function* () {
    const standing = yield* handle.standing
    // Another process was faster: transitions that were seen before they were durable have other ticks, and may
    // differ.
    if (standing.overtaken > overtaken && seen > durable) {
      follower = PlannerView.make(handle.run.id, words)
      guard = LoopGuard.make(topology)
      const stored = yield* history.stored.transitions(handle.run, { to: durable })
      follower.follow(stored)
      guard.follow(stored)
      seen = durable
    }
    const fresh = yield* handle.transitions(seen + 1)
    seen += fresh.length
    durable = standing.tick
    overtaken = standing.overtaken
    follower.follow(fresh)
    guard.follow(fresh)
    return fresh
  })

  const visited = Effect.fnUntraced(function* (outcome: Outcome) {
    visit({ outcome, transitions: yield* catchUp })
    return outcome
  })

  /** Completes the steps behind a pivot before the run is over, even if a planner ends it. */
  const complete = Effect.gen(function* () {
    const completed = yield* handle.complete
    return completed && (yield* visited(completed))
  })
  const incomplete = Effect.map(complete, (completed) => (completed?._tag === "Done" ? undefined : completed))

  /** Proposes, and breaks the glass if that is what a person asks for where the proposal waits. */
  const proposed = Effect.fnUntraced(function* (proposal: Proposal, thought: ActionSpans.Thought | undefined) {
    const outcome = yield* visited(yield* ActionSpans.thought(handle.propose(proposal), thought))
    if (outcome._tag !== "Parked" || emergency === undefined || outcome.review !== emergency.review) return outcome
    const { by, reason } = emergency
    return yield* visited(yield* handle.propose({ ...proposal, breakGlass: { by, reason } }))
  })

  /** Restores a failed subtask if its pack asks for it. A script or a recording goes on as it was written. */
  const restored = Effect.fnUntraced(function* (since: number) {
    const { state } = yield* handle.standing
    const { recovery } = (yield* library.inForce(state, seen + 1)) ?? {}
    if (recovery === undefined || planner.authors !== undefined) return undefined
    const recovered = yield* SelfRecovering.recover(handle, recovery, since)
    return recovered && (yield* visited(recovered))
  })

  /** Absorbs a revision that was injected meanwhile. A proposal that it has kept waiting stays the last one. */
  const absorbed = Effect.fnUntraced(function* (last: Outcome | undefined) {
    if (Goal.of((yield* handle.standing).state).pending === undefined) return last
    const { outcome } = (yield* Revising.absorb(handle)) ?? {}
    if (outcome === undefined) return last
    const done = yield* visited(outcome)
    return done._tag === "Done" && last !== undefined && Planner.isPostponed(last) ? last : done
  })

  yield* catchUp
  for (const outcome of yield* handle.resume) if (isWaiting(yield* visited(outcome))) return outcome
  if (topology !== undefined && topology.kind !== "react" && Option.isSome(roles)) {
    const outcome = yield* TopologyRun.run(handle, topology, roles.value)
    return outcome && (yield* visited(outcome))
  }
  let last = yield* restored(0)
  if (last !== undefined && isWaiting(last)) return last
  const isGivenUp = refusedForGood(planner.authors)
  for (let step = 0; step < Limits.pacing.loopStepsMax; step++) {
    if (more.leaves?.() === true) return last
    last = yield* absorbed(last)
    const alarmed = yield* AlarmHold.of(handle)
    if (alarmed !== undefined) return yield* visited(alarmed)
    const { state } = yield* handle.standing
    if ((last && isWaiting(last)) || Goal.of(state).pending !== undefined || Goal.isRevisedSince(state)) return last
    const pack = yield* library.inForce(state, seen + 1)
    const view = yield* handle.reveal(follower.view({ state, pack }, last))
    const way = guard.wayFor(planner)
    if (way._tag === "Asked") return yield* visited(yield* CrackQuestion.ask(handle, way))
    const { thought, value: proposal } = yield* ActionSpans.thinking(way.next(view))
    if (proposal === undefined) {
      const completed = yield* complete
      if (completed === undefined) return last
      // A planner that is done after a failure is not asked again.
      if (completed._tag !== "Done" || (last !== undefined && last._tag !== "Done")) return completed
      last = completed
      continue
    }
    // A planner that declares what is declared has nothing else to propose.
    if (proposal.type === "goal.complete") {
      const isSaid = Goal.isReached(state) && !Goal.isSubgoal(pack, proposal.data ?? {})
      if (isSaid && planner.authors === undefined) return last
      const open = yield* incomplete
      if (open !== undefined) return open
    }
    const before = seen
    last = yield* proposed(wished(counted(proposal, planner.authors), more.again), thought)
    if (isWaiting(last)) return last
    if (isGivenUp(last)) return (yield* incomplete) ?? last
    last = (yield* restored(before)) ?? last
    if (isWaiting(last)) return last
  }
  return last
})

/**
 * Finds, outcome by outcome, that a planner is not to be asked again: it was refused too often in a row, or by a budget
 * that refuses whatever it proposes. What is written down goes on as it is.
 */
const refusedForGood = (authors: Planner.Planner["Service"]["authors"]) => {
  let refusals = 0
  return (outcome: Outcome): boolean => {
    if (outcome._tag !== "Refused" || authors !== undefined) {
      refusals = 0
      return false
    }
    refusals++
    return refusals === Limits.pacing.refusalsMax || outcome.checks.some(BudgetCheck.isFinal)
  }
}

/**
 * A proposal within a planner's rights: it is authored by the agent, breaks no glass, and counts occurrences only if
 * the planner is allowed to (L4).
 */
export const counted = (proposal: Proposal, authors: Planner.Planner["Service"]["authors"]) =>
  ({
    ...proposal,
    author: "agent",
    breakGlass: undefined,
    occurrenceBy: authors === "record" ? proposal.occurrenceBy : authors
  }) as const

/** Marks a proposal of the requested call as the user's own, with the requested occurrence. */
const wished = <P extends Proposal>(proposal: P, again: Again | undefined): P =>
  again !== undefined && proposal.tool === again.tool && isSame(proposal.params ?? {}, again.params)
    ? { ...proposal, occurrence: again.occurrence, occurrenceBy: "user" }
    : proposal

/** Tells whether a proposal has the arguments that the user saw. Arguments that a trace cannot carry never match. */
const isSame = (params: unknown, seen: Json): boolean => {
  try {
    return Canonical.encode(toTraceArguments(params)) === Canonical.encode(seen)
  } catch {
    return false
  }
}

/** Tells whether the run waits for a person or an unknown outcome. */
const isWaiting = ({ _tag }: Outcome): boolean => _tag === "Held" || _tag === "Parked"
