/**
 * The outcome of a run, verified before it is reported: no part of a receipt is based on a mere claim.
 *
 * @source Dendrer, section 7
 */

import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as UnfitActs from "@backstitch/kernel/UnfitActs"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Latch from "@backstitch/reducer/Latch"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as ApprovedArguments from "../pending/ApprovedArguments.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as LastProposal from "../projections/lastProposal.ts"
import * as StrictReplay from "../proof/StrictReplay.ts"
import * as ClauseVerdicts from "../revisions/ClauseVerdicts.ts"
import * as FollowUp from "../revisions/FollowUp.ts"
import * as SubtaskRecovery from "../run/SubtaskRecovery.ts"
import * as Forking from "../versioning/Forking.ts"
import * as ErrorText from "./ErrorText.ts"
import * as Report from "./Report.ts"

/**
 * An action that is begun and not settled. `stands` continues a sentence that begins with the action; `since` is the
 * tick of its present standing.
 */
export interface UnsettledAction {
  readonly action: string
  readonly tool: string
  readonly state: ActionState.State
  readonly stands: string
  readonly since: number
  readonly target?: string | undefined
  readonly next: Next.Next
}

/**
 * A call that waits for a person, with the differences from what was approved before. Nothing of it was sent, unless
 * `after` names the action for which the glass was broken.
 */
export interface WaitingCall {
  readonly review: string
  readonly tool: string
  readonly params: Json
  readonly needs: ReadonlyArray<string>
  readonly after: string | null
  readonly changed: ReadonlyArray<ApprovedArguments.ArgumentDifference>
  /** The reason why an earlier approval no longer counts, such as that it has expired; `null` if there was none. */
  readonly before: string | null
}

/**
 * A receipt, as plain JSON.
 *
 * **Details**
 *
 * `done`: nothing is left to do. `held`: an outcome is unknown. `parked`: a person has to decide. `refused`,
 * `failed`: the last proposal was, and the planner proposed no other. `stopped`: nothing waits, and the goal was not
 * declared reached.
 */
export interface Receipt {
  readonly run: string
  /** The run that a fork has left, and the tick of that; `null` for a run that is no fork. */
  readonly parent: { readonly run: string; readonly tick: number } | null
  readonly goal: string
  readonly status: "done" | "held" | "parked" | "refused" | "failed" | "stopped"
  readonly why?: string | undefined
  readonly transitions: number
  readonly head: string
  /** `true` if the chain is intact and every committed state came out again. */
  readonly verified: boolean
  /** State digests that were compared. */
  readonly compared: number
  readonly open: ReadonlyArray<UnsettledAction>
  /** Questions to a person for which the run waits. */
  readonly asks: ReadonlyArray<WaitingCall>
  /** Clauses that do not hold although the run is done. */
  readonly unmet: ReadonlyArray<ClauseVerdicts.UnmetClause>
  readonly violations: ReadonlyArray<{ readonly predicate: string; readonly tick: number }>
  readonly anomalies: number
  /** Names that the run's artifacts have in `data.name`, each once, in the order of their first delivery. */
  readonly artifacts: ReadonlyArray<string>
  readonly next: ReadonlyArray<Next.Next>
}

/** Tells whether nothing is left to do, the clauses of the goal hold, and the states of the run came out again. */
export const isDone = ({ status, unmet, verified }: Receipt): boolean =>
  status === "done" && unmet.length === 0 && verified

/**
 * Makes the receipt of a run: verifies the run from its first tick, and lists what is open. `after` is the tick at
 * which work on it began; an earlier failure is reported as not tried again. `isOver` says of an agent without an
 * outcome here that it had nothing left to propose: that of its last proposal is read from the trace.
 */
export const make = Effect.fn("Receipt.make")(function* (
  run: Run.Run,
  own: Outcome | undefined,
  { after, isOver = false }: { readonly after?: number; readonly isOver?: boolean } = {}
) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const artifacts = new Set<string>()
  const { compared, divergences, head, state } = yield* StrictReplay.of(run, {
    visit: ({ body }) => {
      const name = Payload.of(body, "artifact.write")?.name
      if (typeof name === "string") artifacts.add(name)
    }
  })
  const isTold =
    Object.keys(OpenActions.of(state)).length > 0 ||
    UndoPlan.wanted(state) !== undefined ||
    own?._tag === "Failed" ||
    Goal.of(state).revisedAt !== undefined ||
    (own === undefined && isOver)
  const transitions = isTold ? yield* history.transitions(run) : []
  const outcome = own ?? (isOver && !Goal.isRevisedSince(state) ? LastProposal.outcomeOf(transitions) : undefined)
  const known = OpenActionStatus.known(transitions)
  const failed = outcome?._tag === "Failed" ? failedAt(known, { tick: outcome.tick, after }) : undefined
  const pack = yield* library.inForce(state, head.tick + 1)
  const at = yield* OpenActionStatus.standpoint({ run, tick: head.tick, state, pack })
  const { words } = at
  const open = yield* library.folding(() => openOf(at, known))
  const waiting = Reviews.pending(state)
  const remaining = yield* library.folding(() => Report.remainingOf(at))
  const isRevised = Goal.isRevisedSince(state)
  const isReached = Goal.isReached(state)
  const counts = { waiting: waiting.length, remaining: remaining.length }
  const status = statusOf(outcome, { open, ...counts, isReached, isRevised })
  const violations = violationsOf(state)
  const unfit = yield* library.folding(() => UnfitActs.of(pack, state, transitions))
  const unmet = status === "done" ? ClauseVerdicts.unmet(pack, state, { unfit, words }) : []
  const isElsewhere = status === "stopped" && remaining.length === 0 && isRevised
  const follower = isElsewhere ? yield* FollowUp.successor(run) : undefined
  const { parent } = yield* history.info(run)
  const isRecoverable = failed !== undefined && (yield* SubtaskRecovery.isAdmissible(run))
  const receipt: Receipt = {
    run: run.id,
    parent: parent === undefined ? null : { run: parent.id, tick: parent.tick },
    goal: Goal.of(state).text,
    status,
    ...(outcome === undefined ? waitingFor(waiting, words) : whyOf(outcome, failed, words)),
    ...(status === "stopped" ? stoppedAt(remaining, { state, words, isElsewhere }) : {}),
    transitions: head.tick,
    head: head.link,
    verified: divergences.length === 0,
    compared,
    open,
    asks: yield* Effect.forEach(waitingNow(waiting, { outcome, status }), (each) => askedOf(run, state, each)),
    unmet,
    violations,
    anomalies: Object.values(Part.get(Anomalies.part, state)).reduce((sum, seen) => sum + (seen?.count ?? 0), 0),
    artifacts: [...artifacts],
    next: isElsewhere
      ? [follower === undefined ? { run: run.id, verb: "absorb" } : OpenActionStatus.resume(follower)]
      : [
          ...(isRecoverable ? [{ run: run.id, verb: "recover" } as const] : []),
          ...nextOf(at, { open, status, unmet, violations, tick: head.tick, outcome, waiting, failed, transitions })
        ]
  }
  return receipt
})

/** Actions of a state that are begun and not settled. */
export const openOf = (
  at: OpenActionStatus.Standpoint,
  known: OpenActionStatus.ActionFacts
): ReadonlyArray<UnsettledAction> =>
  Object.entries(OpenActions.of(at.state)).flatMap(([action, open]) => {
    const settling = OpenActionStatus.of(at, action, known)
    if (open === undefined || settling === undefined) return []
    const { next, since, stands } = settling
    const target = open.target === undefined ? {} : { target: open.target }
    return [{ action, tool: open.tool, state: open.state, stands, since, ...target, next }]
  })

/** Predicates that a state has latched, in order of their first ticks. */
export const violationsOf = (state: State): Receipt["violations"] =>
  Object.entries(Latch.of(state))
    .map(([predicate, tick]) => ({ predicate, tick }))
    .sort((left, right) => left.tick - right.tick)

/**
 * Without an outcome, the state decides: open actions, and pending questions to a person. A goal that was revised after
 * it was reached is done nowhere but in the run that follows.
 */
const statusOf = (
  outcome: Outcome | undefined,
  about: {
    readonly open: ReadonlyArray<UnsettledAction>
    readonly waiting: number
    readonly remaining: number
    readonly isReached: boolean
    readonly isRevised: boolean
  }
): Receipt["status"] => {
  switch (outcome?._tag) {
    case "Held":
      return "held"
    case "Parked":
      return "parked"
    case "Refused":
      return "refused"
    case "Failed":
      return "failed"
    default:
      if (about.open.length > 0) return "held"
      if (about.remaining > 0) return "stopped"
      if (outcome !== undefined && !about.isRevised) return "done"
      if (about.waiting > 0) return "parked"
      return about.isReached ? "done" : "stopped"
  }
}

/**
 * Only an agent can continue: what was done has to be adapted to a revision, or nothing waits and the goal is not
 * reached. Or the goal was reached and revised, and another run continues.
 */
const stoppedAt = (
  remaining: Report.Report["remaining"],
  { isElsewhere, state, words }: { readonly isElsewhere: boolean; readonly state: State; readonly words: Words }
): { readonly why: string } => {
  const { pending, revisedAt: tick = 0 } = Goal.of(state)
  if (isElsewhere) return { why: words.reports.unfinished({ code: "revised", tick }) }
  const says = remaining.map(({ say }) => say)
  return {
    why:
      pending === undefined
        ? words.receipts.stopped(says)
        : [words.reports.unfinished({ code: "pending", tick }), ...says].join(" ")
  }
}

type Waiting = ReturnType<typeof Reviews.pending>

/** The pending reviews for which the run waits now; without an outcome, all of them. */
const waitingNow = (
  waiting: Waiting,
  { outcome, status }: { readonly outcome: Outcome | undefined; readonly status: Receipt["status"] }
): Waiting => waiting.filter(([id]) => (outcome?._tag === "Parked" ? id === outcome.review : status === "parked"))

const askedOf = Effect.fnUntraced(function* (
  run: Run.Run,
  state: State,
  [review, { after, needs, tick, tool }]: Waiting[number]
) {
  const history = yield* History.History
  const [decided, transition] = yield* history.transitions(run, { from: tick - 1, to: tick })
  const changed = transition === undefined ? [] : yield* ApprovedArguments.differ(run, { before: state, transition })
  const params = (transition && Payload.of(transition.body, "review.requested")?.params) ?? null
  const before = decided === undefined ? null : ApprovedArguments.lapsed(decided.body, yield* Lexicon.Lexicon)
  const asked: WaitingCall = { review, tool, params, needs, after: after ?? null, changed, before }
  return asked
})

const waitingFor = (waiting: Waiting, words: Words): { readonly why?: string } => {
  const [first] = waiting
  if (first === undefined) return {}
  const [, { needs, tick, tool }] = first
  return { why: words.receipts.waits({ more: waiting.length - 1, needs, tick, tool }) }
}

/** The call that failed. A read is proposed again; a mutation is decided only once. */
interface FailedCall {
  readonly tool: string
  readonly tick: number
  readonly isRead: boolean
  readonly isOld: boolean
}

/** States in which an action is over without its intended effect. */
const ended: ReadonlySet<ActionState.State> = new Set(["compensated", "failed", "rolled_back"])

const failedAt = (
  { histories }: OpenActionStatus.ActionFacts,
  { after = 0, tick }: { readonly tick: number; readonly after: number | undefined }
): FailedCall | undefined => {
  const found = [...histories.values()].findLast(({ proposed, state }) => ended.has(state) && proposed.tick <= tick)
  if (found === undefined) return undefined
  const { proposed, tool } = found
  return {
    tool,
    tick: proposed.tick,
    isRead: !ActionHistory.isMutating(found),
    isOld: tick <= after
  }
}

const whyOf = (outcome: Outcome, failed: FailedCall | undefined, words: Words): { readonly why?: string } => {
  switch (outcome._tag) {
    case "Held":
    case "Parked":
      return { why: ErrorText.text(Wording.why(outcome, words), words) }
    case "Refused":
      return { why: Wording.why(outcome, words) }
    case "Failed": {
      const error = ErrorText.of(outcome.error, words)
      return { why: failed?.isOld === true ? words.receipts.failedBefore({ ...failed, error }) : error }
    }
    case "Done":
      return {}
  }
}

/**
 * Each step once. Several open actions may wait for the same resume, and a resume does not continue an action that a
 * person decides about.
 */
const settlesOf = (
  at: OpenActionStatus.Standpoint,
  {
    open,
    transitions
  }: { readonly open: ReadonlyArray<UnsettledAction>; readonly transitions: ReadonlyArray<Transition> }
): ReadonlyArray<Next.Next> => {
  if (open.length > 0)
    return Arr.dedupeWith(
      open.map(({ next }) => next),
      Canonical.equals
    )
  return [OpenActionStatus.undoing(at, transitions)?.next ?? OpenActionStatus.resume(at.run)]
}

/** Holds of a whole run, which their finding says how to leave: resuming the run would end in the same hold. */
const ofRun: ReadonlySet<string> = new Set(["alarm.unheard", "subtask.blocked", "topology.asked"])

/** The steps for a run that is held as a whole. */
const stepsOfBlocked = (
  { run, words }: OpenActionStatus.Standpoint,
  outcome: Outcome | undefined
): ReadonlyArray<Next.Next> | undefined =>
  outcome?._tag === "Held" && ofRun.has(outcome.why.code)
    ? Wording.next(outcome, words).map((step) => Next.about(step, { run: run.id }))
    : undefined

/** The step that explains the last tick. A refusal that was not committed lists the steps that would make it pass. */
const explained = (
  run: Run.Run,
  { outcome, tick, words }: { readonly outcome: Outcome | undefined; readonly tick: number; readonly words: Words }
): ReadonlyArray<Next.Next> =>
  outcome?._tag === "Refused" && outcome.tick === undefined
    ? Wording.next(outcome, words).map((step) => Next.about(step, { run: run.id }))
    : [{ run: run.id, tick: outcome?.tick ?? tick, verb: "explain" }]

const nextOf = (
  at: OpenActionStatus.Standpoint,
  about: Pick<Receipt, "open" | "status" | "unmet" | "violations"> & {
    readonly tick: number
    readonly outcome: Outcome | undefined
    readonly waiting: Waiting
    readonly failed: FailedCall | undefined
    readonly transitions: ReadonlyArray<Transition>
  }
): ReadonlyArray<Next.Next> => {
  const { run } = at
  const { failed, outcome, status, tick, transitions, unmet, violations } = about
  const first = violations[0]
  return [
    ...waitingNow(about.waiting, about).map(([review, { needs }]) => OpenActionStatus.decide(run, { review, needs })),
    // An act that another run has begun is settled there, and then this run continues.
    ...(outcome?._tag === "Held" && outcome.run !== undefined
      ? [OpenActionStatus.resume(Run.make(outcome.run, run.tenant))]
      : []),
    ...(status === "held" || status === "stopped" ? (stepsOfBlocked(at, outcome) ?? settlesOf(at, about)) : []),
    ...(failed === undefined
      ? []
      : [failed.isRead ? OpenActionStatus.resume(run) : Forking.before(run, failed.tick, transitions)]),
    ...(status === "refused" || status === "parked" || status === "failed"
      ? explained(run, { outcome, tick, words: at.words })
      : []),
    ...(first === undefined || !Latch.read(first.predicate).isAnswered
      ? []
      : [{ predicate: first.predicate, run: run.id, verb: "bisect" } as const]),
    ...(status === "done" && first === undefined
      ? [{ run: run.id, verb: unmet.length === 0 ? "show" : "report" } as const]
      : [])
  ]
}
