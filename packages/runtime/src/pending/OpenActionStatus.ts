/**
 * The status of an open action: its standing, the tick since which it has it, and the one step that continues it.
 *
 * Every view of a run takes the next step from here, so that no two views differ. The pure kernel says which verdicts
 * a person may give: a verdict that the kernel would refuse, or that leads back to the same hold, is not offered. A
 * verdict that the kernel accepts from a certain moment on is offered from that moment.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Check from "@backstitch/kernel/Check"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Payload from "@backstitch/kernel/Payload"
import * as Resolution from "@backstitch/kernel/Resolution"
import * as ResumePlan from "@backstitch/kernel/ResumePlan"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as UndoStep from "@backstitch/kernel/UndoStep"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import type { Stand } from "@backstitch/wording/RunWords"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as EmergencyActions from "./EmergencyActions.ts"
import * as ErasedValues from "./erasedValues.ts"

/** A run at its head, with its pack in force, and the time of the view. */
export interface Standpoint {
  readonly run: Run
  readonly tick: number
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
  /** Epoch milliseconds. */
  readonly now: number
  readonly words: Words
}

/** The standpoint on a run at the present time, with the lexicon that is provided. */
export const standpoint = Effect.fnUntraced(function* (of: Omit<Standpoint, "now" | "words">) {
  const at: Standpoint = { ...of, now: yield* Clock.currentTimeMillis, words: yield* Lexicon.Lexicon }
  return at
})

/** The head of a run. */
export const head = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const pack = yield* library.inForce(state, head.tick + 1)
  return yield* standpoint({ run, tick: head.tick, state, pack })
})

/**
 * An open action. `stands` continues a sentence that begins with the action's name; `since` is the tick of its
 * present standing.
 */
export interface OpenActionStatus {
  readonly stands: string
  readonly since: number
  /** `true` if a person has to decide. Until then nothing is asked, sent or believed. */
  readonly isPersons: boolean
  readonly next: Next
}

/** Describes the standing of an action in a state; `undefined` for an action that is not open. */
export const of = (
  at: Standpoint,
  action: string,
  { erased, glass, histories }: ActionFacts
): OpenActionStatus | undefined => {
  const open = OpenActions.of(at.state)[action]
  if (open === undefined) return undefined
  const history = histories.get(action)
  const { since, stand } = standsAt(at.state, open, history)
  const stands = { since, stands: Wording.stands(stand, at.words) }
  const broken = glass.get(action)
  if (broken !== undefined && history?.decision === undefined && broken.verdict !== "approved") {
    const next = broken.verdict === null ? decide(at.run, broken) : resolve(at, action)
    return {
      ...stands,
      stands: at.words.openActions.stands.glass_broken({
        code: "glass_broken",
        why: EmergencyActions.say(broken, at.words)
      }),
      isPersons: true,
      next
    }
  }
  const plan = UndoPlan.open(at.state)
  const isStopped = plan?.status === "stopped" && plan.at === action
  const isPersons = OpenAction.isFrozen(open) || isStopped || isAnothers(open, history?.decision)
  const isGone = erased.lacking(at.pack, erased.callOf(action)) !== undefined
  if (isGone && !isPersons) {
    const gone = at.words.openActions.stands.values_gone({ code: "values_gone", stands: stands.stands })
    return { since, stands: gone, isPersons: true, next: resolve(at, action, isGone) }
  }
  return { ...stands, isPersons, next: isPersons ? resolve(at, action, isGone) : resume(at.run) }
}

/**
 * Tells whether the recovery table asks to reverse an act of another run. That is never done from this run: a person
 * decides.
 */
export const isAnothers = ({ adopted }: OpenAction.OpenAction, decision: string | undefined): boolean =>
  adopted === true &&
  decision !== undefined &&
  RecoveryAction.isOne(decision) &&
  RecoveryAction.definition(decision).sends === "reversal"

/**
 * An undoing that holds up a run: the action to be undone, or the action that asks for it, and the one step that
 * continues. `isWaiting` means that its reversal was not begun, although nothing blocks it. `blocks` are the reasons
 * against one that is requested.
 */
export interface Undoing {
  readonly action: string
  readonly isWaiting: boolean
  readonly next: Next
  readonly blocks: ReadonlyArray<FindingForm.AnyFinding>
}

/** The undoing that holds up a run, if there is one. */
export const undoing = (at: Standpoint, transitions: ReadonlyArray<Transition>): Undoing | undefined => {
  const plan = UndoPlan.open(at.state)
  if (plan === undefined) {
    const action = wanting(at.state)
    if (action === undefined) return undefined
    const blocks = blocksIn(at.state, transitions)
    const isWaiting = blocks.length === 0
    return { action, blocks, isWaiting, next: isWaiting ? resume(at.run) : resolve(at, action) }
  }
  return planned(at, plan, transitions)
}

const planned = (
  at: Standpoint,
  plan: UndoPlan.OpenPlan,
  transitions: ReadonlyArray<Transition>
): Undoing | undefined => {
  const erased = ErasedValues.of(transitions)
  // The record of the act is read before its reversal is sent.
  const goneOf = (action: string) =>
    erased.lacking(at.pack, [...erased.callOf(action), ...plan.steps.filter(({ undoes }) => undoes === action)])
  const waiting = UndoPlan.waiting(plan)
  if (waiting !== undefined) {
    const gone = goneOf(waiting)
    if (gone !== undefined)
      return { action: waiting, blocks: [gone], isWaiting: false, next: resolve(at, waiting, true) }
    return { action: waiting, blocks: [], isWaiting: true, next: approval(at, plan) ?? resume(at.run) }
  }
  const failed = plan.status === "stopped" ? plan.failed : undefined
  if (failed === undefined) return undefined
  return { action: failed, blocks: [], isWaiting: false, next: resolve(at, failed, goneOf(failed) !== undefined) }
}

/** The undoing that waits for the end of the open plan, if there is one. The plan is continued first. */
export const queued = (at: Standpoint, transitions: ReadonlyArray<Transition>): Undoing | undefined => {
  const plan = UndoPlan.open(at.state)
  const action = wanting(at.state)
  if (plan === undefined || action === undefined) return undefined
  return { action, blocks: [], isWaiting: true, next: planned(at, plan, transitions)?.next ?? resume(at.run) }
}

/** The action that asks for the undoing that is requested, or the first one to be undone. */
const wanting = (state: State): string | undefined => {
  const { actions, subject } = UndoPlan.wanted(state) ?? {}
  return subject ?? actions?.[0]
}

/** The reasons against the requested undoing at the last decision about it, without those that are over. */
const blocksIn = (state: State, transitions: Iterable<Transition>): ReadonlyArray<FindingForm.AnyFinding> => {
  const decided = [...transitions].flatMap(({ body }) => Payload.of(body, "recovery.decided") ?? [])
  const { blocks = [] } = decided.findLast(({ wanted }) => wanted !== undefined) ?? {}
  return blocks.flatMap(({ action = "", why }) => {
    const isOver =
      why.code === "undo.plan_open" || (why.code === "undo.unsettled" && OpenActions.of(state)[action] === undefined)
    return isOver ? [] : [why]
  })
}

/** The step with which a person approves a reversal that waits for an approval. */
const approval = ({ run, state }: Standpoint, plan: UndoPlan.OpenPlan): Next | undefined => {
  const tool = UndoPlan.next(plan)?.tool
  const asked = Reviews.pending(state).find(([, review]) => review.tool === tool && review.after === undefined)
  return asked === undefined ? undefined : decide(run, { review: asked[0], needs: asked[1].needs })
}

/** Reads the standing of an action at the head of its run; `undefined` for an action that is not open. */
export const at = Effect.fnUntraced(function* (run: Run, action: string) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const standpoint = yield* head(run)
  const said = known(yield* history.transitions(run))
  return yield* library.folding(() => of(standpoint, action, said))
})

/** Facts about actions from a trace: their histories, their emergencies, and the values of them that were erased. */
export interface ActionFacts {
  readonly erased: ErasedValues.ErasedValues
  readonly histories: ActionHistories.ActionHistories
  readonly glass: ReadonlyMap<string, EmergencyActions.EmergencyAction>
}

/** Reads the facts about actions from a trace. */
export const known = (transitions: ReadonlyArray<Transition>): ActionFacts => ({
  erased: ErasedValues.of(transitions),
  histories: ActionHistories.all(transitions),
  glass: EmergencyActions.all(transitions)
})

/** The step that continues a run. */
export const resume = (run: Run): Next => ({ run: run.id, verb: "resume" })

/**
 * The step with which a person decides about an action, with the verdicts that let the run continue. With `isGone`, a
 * value of it was erased, and no verdict helps by which it would be sent or asked about again.
 */
export const resolve = (at: Standpoint, action: string, isGone = false): Next => {
  const { alone, later, recorded } = verdicts(at, action, isGone)
  // The verdict that a person has looked settles nothing.
  const settling = alone.filter((as) => as !== "noted")
  const attest: Next = { action, run: at.run.id, verb: "attest" }
  if (alone.length === 0) return attest
  const as = settling.length === 0 ? alone : settling
  const more = { ...(later === undefined ? {} : { later }), ...(recorded ? { or: [attest] } : {}) }
  return { action, as, run: at.run.id, verb: "resolve", ...more }
}

/**
 * The step with which a person answers the review of a settled action: they have looked at it, or a failure that its
 * provider contradicts did not happen.
 */
export const answer = (run: Run, action: string, review: Pick<Reviews.Review, "why">): Next => ({
  action,
  as: [Reviews.endedBy(review)],
  run: run.id,
  verb: "resolve"
})

/** The step with which a person decides about a review. */
export const decide = (
  run: Run,
  { needs, review }: { readonly review: string; readonly needs: ReadonlyArray<string> },
  as: "approved" | "denied" = "approved"
): Next => ({ as, needs, review, run: run.id, verb: "decide" })

/**
 * The verdicts that the kernel accepts from a person on their word alone, now or later, and whether a success needs a
 * record, too.
 */
const verdicts = (
  at: Standpoint,
  action: string,
  isGone: boolean
): {
  readonly alone: ReadonlyArray<Resolution.HoldVerdict>
  readonly later: { readonly as: ReadonlyArray<Resolution.HoldVerdict>; readonly from: number } | undefined
  readonly recorded: boolean
} => {
  // For a held undoing, the record is that of the reversal.
  const plan = UndoPlan.open(at.state)
  const open = OpenActions.of(at.state)[(plan?.failed === action ? plan.at : undefined) ?? action]
  const isKnown = open !== undefined && canBeFoundOut(at.pack, open.tool)
  const possible = isGone
    ? Resolution.verdicts.filter((as) => as !== "resent" && as !== "reopened")
    : Resolution.verdicts
  const froms = possible.flatMap((as) => {
    const from = as !== "reopened" || open === undefined || isKnown ? takenFrom(at, { action, as }) : undefined
    return from === undefined ? [] : [{ as, from }]
  })
  const alone = froms.flatMap(({ as, from }) => (from <= at.now ? [as] : []))
  const early = froms.filter(({ from }) => from > at.now)
  const from = Math.max(...early.map((each) => each.from))
  const later = early.length === 0 ? undefined : { as: early.map(({ as }) => as), from }
  // A record can only be judged once it is given. If one was read already, no other is accepted.
  const isUnread = open !== undefined && (open.actual ?? null) === null
  return { alone, later, recorded: isUnread && !alone.includes("success") && !alone.includes("noted") }
}

/** The moment from which the kernel accepts a verdict; `undefined` if none is known. */
const takenFrom = (
  { now, pack, run, state, tick }: Standpoint,
  about: { readonly action: string; readonly as: string }
): number | undefined => {
  const data = { ...about, by: "NAME", evidence: "TEXT" }
  const terms = { run, lineage: run.id, now, tick: tick + 1, secret: "", pack }
  const proposal = { type: "review.decided", author: "user", data } as const
  const { next } = Kernel.decide(terms, state, { _tag: "Resolve", proposal })
  if (next._tag !== "End") return undefined
  if (next.outcome._tag === "Done") return now
  const why = next.outcome._tag === "Refused" ? Check.reason(next.outcome.checks) : undefined
  return why?.code === "action.arriving" ? why.args.overAt : undefined
}

/**
 * Tells whether an outcome can be found out: by status, by readback, by a delivery, or by sending again under the key.
 * Otherwise the same hold would return.
 */
const canBeFoundOut = (pack: TaskPack.TaskPack | undefined, tool: string): boolean =>
  ToolContract.canBeLearnt(TaskPack.tool(pack, tool)) || ResumePlan.propertyOf(pack, tool) === "keyed"

/**
 * Tells whether a step behind a pivot was refused for too long, so that no attempt is under way and a person decides.
 */
const isGivenBack = (state: State, action: string | undefined): boolean =>
  Obligations.all(state).some(({ failed, state }) => state === "review_required" && failed?.action === action)

const standsAt = (
  state: State,
  open: OpenAction.OpenAction,
  history: ActionHistory.ActionHistory | undefined
): { readonly since: number; readonly stand: Stand } => {
  const { observed, started, verified } = history ?? {}
  const isMet = verified?.outcome.status === "ok"
  if (open.resend === true) {
    return {
      stand: { code: "resent" },
      since: history?.visited.at(-1)?.tick ?? open.tick
    }
  }
  const since = history?.decided?.tick ?? open.tick
  if (UndoStep.isWithheld(state, open)) {
    return { stand: { again: open.deferred !== true, code: "withheld", undoes: open.undoes }, since }
  }
  if (open.answer?.as === "refused" && isGivenBack(state, history?.id)) {
    return { stand: { code: "given_back" }, since }
  }
  if (open.due === true) return { stand: { code: "reversal_due", undoes: open.undoes }, since }
  if (open.deferred === true) return { stand: { code: "unread" }, since }
  if (!OpenAction.isBegun(open)) {
    return { stand: { code: "requested" }, since: history?.proposed.tick ?? open.tick }
  }
  if (OpenAction.isInFlight(open)) {
    return { stand: { code: "begun" }, since: started?.tick ?? open.tick }
  }
  if (OpenAction.isRead(open)) {
    return isMet
      ? { stand: { code: "unsettled" }, since: verified?.tick ?? open.tick }
      : { stand: { code: "unmet" }, since: verified?.tick ?? open.tick }
  }
  if (!OpenAction.isAnswered(open)) {
    return { stand: { code: "sent" }, since: observed?.tick ?? open.tick }
  }
  return OpenAction.isAccepted(open)
    ? { stand: { code: "accepted" }, since: history?.accepted?.tick ?? open.tick }
    : { stand: { code: "answered" }, since: observed?.tick ?? open.tick }
}
