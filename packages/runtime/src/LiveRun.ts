/**
 * Lets an agent act on a run: one call takes the lease, begins or resumes the run, and answers the receipt. A terminal,
 * a server and a program all use it.
 */
import type * as Commit from "@backstitch/kernel/Commit"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Lease } from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Agent from "./agent/Agent.ts"
import * as RepeatedCall from "./agent/RepeatedCall.ts"
import * as SelfRecovering from "./agent/SelfRecovering.ts"
import * as History from "./history/History.ts"
import * as StepFeed from "./history/StepFeed.ts"
import * as CompatibilityJudge from "./ports/CompatibilityJudge.ts"
import * as Lexicon from "./ports/Lexicon.ts"
import * as ToolExecutor from "./ports/ToolExecutor.ts"
import * as LastProposal from "./projections/lastProposal.ts"
import * as Receipt from "./reporting/Receipt.ts"
import * as ResumePreview from "./reporting/ResumePreview.ts"
import * as SubtaskReport from "./reporting/SubtaskReport.ts"
import * as EmergencyCheck from "./review/EmergencyCheck.ts"
import * as FollowUp from "./revisions/FollowUp.ts"
import * as RevisionDocuments from "./revisions/RevisionDocuments.ts"
import * as StoredRevision from "./revisions/StoredRevision.ts"
import * as AlarmHold from "./run/AlarmHold.ts"
import * as Coordinator from "./run/Coordinator.ts"
import * as ProcessLease from "./run/ProcessLease.ts"
import type * as RunHandle from "./run/RunHandle.ts"
import * as SubtaskRecovery from "./run/SubtaskRecovery.ts"
import * as UndoOutlook from "./undo/UndoOutlook.ts"
import * as Forking from "./versioning/Forking.ts"

/** A transition that was committed while the agent acted. */
export interface LiveTransition {
  readonly tick: number
  readonly transition_type: string
  readonly tool?: string
}

/** The result: the receipt, the transitions, and the emergency that was asked for and not allowed, if there is one. */
export interface Acted {
  readonly receipt: Receipt.Receipt
  readonly committed: ReadonlyArray<LiveTransition>
  readonly unbroken: EmergencyCheck.Unbroken | undefined
  /** The work on the run whose task was done again in a fork of its beginning, if it was blocked. */
  readonly rerunOf?: Acted | undefined
}

/** The result of a run that was resumed, and the plan with which it began. */
export interface Resumed extends Acted {
  readonly plan: Effect.Success<ReturnType<typeof ResumePreview.plan>>
}

/** Observers of a run. They are called as it goes on, and decide nothing. */
export interface Observers {
  /** Called with each step once it is committed. */
  readonly visit?: ((step: Step) => void) | undefined
  /** Called once the run is in the hands of this process, before the agent acts. */
  readonly begun?: (() => void) | undefined
}

/** Begins a run and lets its agent act. */
export const begin = Effect.fn("LiveRun.begin")(function* (
  run: Run.Run,
  opening: Coordinator.Opening,
  observers: Observers = {}
) {
  const coordinator = yield* Coordinator.Coordinator
  // The one write before the lease, which is about a run that is there. The store lets one process begin it.
  const handle = yield* coordinator.begin(run, opening)
  yield* ProcessLease.take(run)
  observers.begun?.()
  return yield* act(handle, 0, {}, observers)
}, Effect.scoped)

/** Lets the agent act on a run that was just made, such as a fork, after the tick at which it stands. */
export const proceed = Effect.fn("LiveRun.proceed")(function* (run: Run.Run, after: number, observers: Observers = {}) {
  const coordinator = yield* Coordinator.Coordinator
  yield* ProcessLease.take(run)
  const handle = yield* coordinator.reopen(run)
  observers.begun?.()
  return yield* act(handle, after, {}, observers)
}, Effect.scoped)

/** Requests of people for a run that is resumed. */
export interface ResumeRequests {
  /** The tick of a call that was refused as done before, and that is wanted once more. */
  readonly again?: number | undefined
  readonly emergency?: Agent.Emergency | undefined
  /** The word of a person on the alarm that holds the run. */
  readonly past?: AlarmHold.Passing | undefined
  /** Waits while another process holds the run, and tells whose lease it waits for. */
  readonly waiting?: ((lease: Lease) => void) | undefined
}

/** Settles what a crash left open, under the original keys, and lets the agent go on. */
export const resume = Effect.fn("LiveRun.resume")(function* (
  run: Run.Run,
  { again: tick, emergency, past, waiting }: ResumeRequests = {},
  { begun, visit }: Omit<Observers, "begun"> & { readonly begun?: (plan: Resumed["plan"]) => void } = {}
) {
  const history = yield* History.History
  const coordinator = yield* Coordinator.Coordinator
  // A run that is not there is nobody's to hold.
  yield* history.info(run)
  yield* ProcessLease.take(run, waiting && ((lease) => Effect.sync(() => waiting(lease))))
  const { head } = yield* history.info(run)
  const plan = yield* ResumePreview.plan(run)
  const handle = yield* coordinator.reopen(run)
  const again = tick === undefined ? undefined : yield* RepeatedCall.at(run, tick)
  if (emergency !== undefined) yield* EmergencyCheck.check((yield* handle.position).state, run, emergency)
  if (past !== undefined) yield* AlarmHold.pass(handle, past)
  begun?.(plan)
  const resumed: Resumed = { ...(yield* act(handle, head.tick, { again, emergency }, { visit })), plan }
  return resumed
}, Effect.scoped)

/** Work on a run that a process hosts. */
export interface Worked {
  /** The outcome of the last proposal, also if an earlier process made it; `undefined` if there was none. */
  readonly outcome: Outcome | undefined
  /** The position at which the run was left. */
  readonly position: Commit.Position
  /** The alarms of its topology that are on record, the earliest first. */
  readonly alarms: ReadonlyArray<AlarmHold.Alarm>
  /** The run that goes on with the task of this one, if there is one: a rerun, or one for a goal that was revised. */
  readonly next: Run.Run | undefined
}

/** Requests for work on a run that a process hosts. */
export interface Hosting extends Pick<Agent.Wishes, "leaves">, Pick<ResumeRequests, "waiting"> {
  /** The digest of the agent's pack. A run under another one is refused before the agent is asked. */
  readonly pack?: string | undefined
}

/**
 * Lets the agent go on with a run until it is done, waits or leaves it, and makes no receipt: for a process that hosts
 * many runs. What a crash left open is settled first. A planner is not asked about a goal that is reached.
 */
export const work = Effect.fn("LiveRun.work")(function* (run: Run.Run, { leaves, pack, waiting }: Hosting = {}) {
  const coordinator = yield* Coordinator.Coordinator
  yield* ProcessLease.take(run, waiting && ((lease) => Effect.sync(() => waiting(lease))))
  const handle = yield* coordinator.reopen(run)
  const pinned = yield* handle.packDigest
  if (pack !== undefined && pinned !== pack) {
    return yield* new Coordinator.PackChanged({ run: run.id, pinned, given: pack })
  }
  const isReached = Goal.isReached((yield* handle.position).state)
  const outcome = isReached ? (yield* handle.resume).at(-1) : yield* Agent.run(handle, undefined, { leaves })
  if (SelfRecovering.isRerun(outcome)) {
    const alarms = yield* AlarmHold.recorded(handle)
    const worked: Worked = { alarms, outcome, position: yield* handle.position, next: yield* rerunOf(run) }
    return worked
  }
  const isFollowed = Goal.isRevisedSince((yield* handle.position).state) && leaves?.() !== true
  const next = isFollowed ? (yield* FollowUp.revise(handle, undefined)).next : undefined
  yield* handle.flush
  const alarms = yield* AlarmHold.recorded(handle)
  const isOver = outcome === undefined && !isReached && !isFollowed && leaves?.() !== true
  const last = isOver ? LastProposal.outcomeOf(yield* handle.transitions(1)) : outcome
  const worked: Worked = { alarms, outcome: last, position: yield* handle.position, next }
  return worked
}, Effect.scoped)

/**
 * Records a revision, or takes up what is due, and absorbs it with the tools of the agent. Fails before anything is
 * recorded where an act is to be undone by a tool whose code is not here.
 */
export const revise = Effect.fn("LiveRun.revise")(function* (run: Run.Run, asked: StoredRevision.RevisionRequest) {
  const coordinator = yield* Coordinator.Coordinator
  const { isDue, plan: before, revision, spent } = yield* StoredRevision.prepare(run, asked)
  yield* ToolExecutor.demand(before?.undo.map(({ by }) => by) ?? [])
  yield* ProcessLease.take(run)
  const handle = yield* coordinator.reopen(run)
  yield* StoredRevision.recordSpent(handle, spent)
  const widen = revision.widens === true
  const { absorbed, isDone, next } = yield* Effect.provideService(
    FollowUp.revise(handle, isDue ? undefined : revision, { widen }),
    CompatibilityJudge.CompatibilityJudge,
    CompatibilityJudge.ofPerson(revision.keeps ?? [], asked.judge)
  )
  const own = absorbed && RevisionDocuments.plan(absorbed.planned, [], yield* Lexicon.Lexicon)
  const plan = own && { ...own, elsewhere: before?.elsewhere ?? [] }
  const revised: StoredRevision.RecordedRevision = { revision, plan, outcome: absorbed?.outcome, isDone, next }
  return revised
}, Effect.scoped)

/** A restore of a subtask that was asked for: what it was judged to be, and its outcome if it was admitted. */
export interface Restored extends SubtaskReport.RecoveryShown {
  readonly run: string
  readonly done: boolean
  readonly outcome: Outcome | null
}

/** A request for a restore: the subtask, the reason, and the person who asks, if that is to be on record. */
export interface Restoring extends SubtaskRecovery.SubtaskRequest {
  readonly because: string
  readonly by?: string | undefined
}

/** Settles what a crash left open, and restores a subtask to its latest admissible checkpoint. */
export const restore = Effect.fn("LiveRun.restore")(function* (run: Run.Run, { by, ...asked }: Restoring) {
  const coordinator = yield* Coordinator.Coordinator
  yield* ProcessLease.take(run)
  const handle = yield* coordinator.reopen(run)
  yield* handle.resume
  if (by !== undefined) {
    const data = { by, content: asked.because, recovers: asked.instance ?? true }
    yield* handle.propose({ author: "user", type: "message.received", data })
  }
  const known = yield* UndoOutlook.known(run)
  const { judged, outcome } = yield* SubtaskRecovery.restore(handle, asked)
  if (judged === undefined) return yield* new SubtaskRecovery.NoSuchSubtask({ run: run.id, instance: asked.instance })
  yield* handle.flush
  const recovery = SubtaskReport.recovery(judged, known)
  const restored: Restored = { run: run.id, ...recovery, done: outcome?._tag === "Done", outcome: outcome ?? null }
  return restored
}, Effect.scoped)

/**
 * Lets the agent act until it is done or waits. If a failed subtask blocks the run and its pack asks for a rerun,
 * the agent does the task again in a fork of the beginning. Keys keep its effects from happening twice there.
 */
const act = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  after: number,
  wishes: Agent.Wishes,
  observers: Observers
) {
  const { acted, outcome } = yield* actOn(handle, after, wishes, observers)
  if (!SelfRecovering.isRerun(outcome)) return acted
  const again = yield* rerunOf(handle.run)
  yield* ProcessLease.take(again)
  const coordinator = yield* Coordinator.Coordinator
  // Requests of people were about a tick or a review of the run that is blocked, and have no meaning in the fork.
  const rerun = yield* actOn(yield* coordinator.reopen(again), SelfRecovering.beginning, {}, observers)
  const whole: Acted = { ...rerun.acted, rerunOf: acted }
  return whole
})

/** The fork of the beginning of a run in which its task is done again, made unless it exists. */
const rerunOf = Effect.fnUntraced(function* (run: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const child = Run.make(`${run.id}-again`, run.tenant)
  const at = SelfRecovering.beginning
  const known = yield* store.info(child)
  if (known?.parent?.id !== run.id || known.parent.tick !== at) yield* Forking.fork({ parent: run, at, child })
  return child
})

/** Lets the agent act on one run until it is done or waits, and makes the receipt of the work after a tick. */
const actOn = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  after: number,
  wishes: Agent.Wishes,
  { visit = () => {} }: Observers
) {
  const { run } = handle
  const { emergency } = wishes
  const committed: Array<LiveTransition> = []
  const seen = (step: Step): void => {
    const { body, tick } = step.transition
    committed.push({ tick, transition_type: body.type, ...(step.tool === undefined ? {} : { tool: step.tool }) })
    visit(step)
  }
  const outcome = yield* StepFeed.during(run, after, seen, Agent.run(handle, undefined, wishes))
  const unbroken =
    emergency === undefined ? undefined : EmergencyCheck.unbroken((yield* handle.position).state, emergency)
  const acted: Acted = { receipt: yield* Receipt.make(run, outcome, { after, isOver: true }), committed, unbroken }
  return { acted, outcome }
})
