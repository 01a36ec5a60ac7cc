/**
 * Works on one run until it has ended: lets its agent act, waits for what it waits for, and begins again.
 *
 * Between two turns a run can be left. Whoever works on it next derives all of it from the trace: what is open, what is
 * waited for, and when it is due. So only two things are handed over: the right to work, and the tick at which the run
 * began to wait. As long as there is no news behind that tick, the next process waits as well, and does not ask the
 * agent again.
 */
import * as Backoff from "@backstitch/contracts/Backoff"
import * as Goal from "@backstitch/kernel/Goal"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type { State } from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as HostMetrics from "../metrics/HostMetrics.ts"
import * as RunWaits from "../waiting/RunWaits.ts"
import * as RunNews from "../webhooks/RunNews.ts"
import * as WebhookOutbox from "../webhooks/WebhookOutbox.ts"
import * as AgentLack from "./AgentLack.ts"
import * as Assignments from "./Assignments.ts"
import type * as HostAgents from "./HostAgents.ts"
import type * as TenantStores from "./TenantStores.ts"
import * as WorkSlot from "./WorkSlot.ts"

/** The waits between tries of the work on a run. */
const retries: Backoff.Backoff = {
  firstMillis: Limits.pacing.workRetryFirstMillis,
  factor: 2,
  maxMillis: Limits.pacing.workRetryMillisMax
}

/** The stage of the work on a run in its process. */
export type Doing = "queued" | "working" | "waiting"

/** The parts of a host that each of its runs is given. */
export interface Hosting {
  readonly agents: HostAgents.HostAgents
  /** The stores in which the runs of each tenant are worked on. */
  readonly stores: TenantStores.TenantStores
  readonly slots: WorkSlot.WorkSlots
  /** The runs of this process that wait for an agent which it lacks. */
  readonly lacks: Set<AgentLack.AgentLack>
  /** Gives the run that goes on with the task of another one to the same agent. */
  readonly follow: (run: Run, agent: string) => Effect.Effect<void, TraceStore.TraceStoreError>
}

/** The ways to reach a run that is worked on. */
export interface Reins {
  /** Completed when the run is to be left. */
  readonly leaving: Deferred.Deferred<void>
  /** Completed when the run is not to wait any longer; a new one is made for each wait. */
  nudge: Deferred.Deferred<void>
  doing: Doing
}

/** Makes the reins of a run. */
export const reins = (): Reins => ({
  leaving: Deferred.makeUnsafe<void>(),
  nudge: Deferred.makeUnsafe<void>(),
  doing: "queued"
})

/**
 * Works on a run until it has ended or is left. Answers the end, which is noted by then; `undefined` if it was left.
 *
 * **Details**
 *
 * A store that is away, full or read-only is waited for: the run is not at fault. Any other failure is tried again a
 * few times, and then ends the assignment with its message; a commit begins the count anew. A run whose agent this host
 * lacks waits for it. An assignment that was closed or made anew elsewhere is left.
 */
export const tend = (hosting: Hosting, assignment: Assignments.Assignment, self: Reins) =>
  Effect.acquireUseRelease(
    HostMetrics.moved(undefined, self.doing),
    () => hosting.stores.within(assignment.run.tenant)(tended(hosting, assignment, self)),
    () => Effect.suspend(() => HostMetrics.moved(self.doing, undefined))
  ).pipe(Effect.retry(Schedule.spaced(Duration.millis(Limits.pacing.workRetryMillisMax))), Effect.orDie)

const tended = Effect.fnUntraced(function* (hosting: Hosting, assignment: Assignments.Assignment, self: Reins) {
  const leaves = () => Deferred.isDoneUnsafe(self.leaving)
  const tries: Tries = { inRow: 0, failures: 0, reached: -1 }
  yield* waitAsLeft(hosting, assignment, self)
  while (!leaves()) {
    yield* enter(self, "queued")
    const exit = yield* Effect.exit(turn(hosting, assignment, self))
    if (leaves()) return undefined
    if (Exit.isFailure(exit)) {
      const lack = yield* AgentLack.ofCause(hosting.agents, assignment, exit.cause)
      if (lack !== undefined) {
        yield* waitForAgent(hosting, { assignment, lack, self })
        continue
      }
      const end = yield* failed(assignment, self, { cause: exit.cause, tries })
      if (end !== undefined) return end
      continue
    }
    // Somebody else works on it by now.
    if (exit.value === undefined) return undefined
    const end = yield* rested(hosting, { assignment, self, tries, worked: exit.value })
    if (end !== undefined) return end
  }
  return undefined
})

/** Goes on with the wait in which an earlier process has left a run, if it has. */
const waitAsLeft = Effect.fnUntraced(function* (hosting: Hosting, assignment: Assignments.Assignment, self: Reins) {
  // A host begins with all of its open runs, and folds no more of them at once than it works on.
  const inPlace = WorkSlot.within(hosting.slots, assignment.run.tenant, Deferred.await(self.leaving))
  const looks = inPlace(resting(hosting, assignment))
  const left = yield* Effect.orElseSucceed(looks, () => undefined)
  if (left === undefined) return
  yield* enter(self, "waiting")
  yield* wait(assignment.run, left, self)
})

/**
 * Waits for an agent that this host lacks, until the assignment has ended or was made anew, or the run is to be left or
 * not to wait. Nothing is written: another host on the store may have the agent, and the run is then its own.
 */
const waitForAgent = Effect.fnUntraced(function* (
  { lacks }: Hosting,
  {
    assignment,
    lack,
    self
  }: { readonly assignment: Assignments.Assignment; readonly lack: AgentLack.AgentLack; readonly self: Reins }
) {
  yield* enter(self, "waiting")
  yield* Effect.logWarning(`A hosted run waits. ${lack.why}`).pipe(annotated(assignment))
  const moved = Effect.orElseSucceed(isStanding(assignment), () => true).pipe(
    Effect.delay(Duration.millis(Limits.pacing.lackLookMillis)),
    Effect.repeat({ while: (stands) => stands })
  )
  yield* Effect.raceAll([Effect.asVoid(moved), Deferred.await(self.leaving), Deferred.await(self.nudge)]).pipe(
    (waits) =>
      Effect.acquireUseRelease(
        Effect.sync(() => lacks.add(lack)),
        () => waits,
        () => Effect.sync(() => lacks.delete(lack))
      )
  )
  self.nudge = Deferred.makeUnsafe<void>()
})

/** Names the run of a line of the log. */
const annotated = ({ agent, run }: Assignments.Assignment) =>
  Effect.annotateLogs({ "workflow.run_id": run.id, "backstitch.tenant": run.tenant, "backstitch.agent": agent })

/** The tries that have failed since the last tick that was reached, and how many of them count against the run. */
interface Tries {
  inRow: number
  /** A failure of the store that passes, or that its operator mends, does not count. */
  failures: number
  reached: number
}

/** Waits for the next try after a turn that has failed. Answers the end instead, if there is none. */
const failed = Effect.fnUntraced(function* (
  assignment: Assignments.Assignment,
  self: Reins,
  { cause, tries }: { readonly cause: Cause.Cause<unknown>; readonly tries: Tries }
) {
  const { isFinal, isPassing, message } = failureOf(cause)
  const tick = yield* Effect.orElseSucceed(headOf(assignment.run), () => tries.reached)
  if (tick > tries.reached) Object.assign(tries, { inRow: 0, failures: 0, reached: tick })
  tries.inRow++
  if (!isPassing) tries.failures++
  else if (tries.inRow === 1) yield* Effect.logWarning(`A hosted run waits. ${message}`).pipe(annotated(assignment))
  if (isFinal || tries.failures >= Limits.pacing.workFailuresMax) {
    return yield* close(assignment, { how: "failed", reason: message })
  }
  yield* patience(self, tries)
  return undefined
})

/** A turn, and the work on the run that it belongs to. */
interface Rested {
  readonly assignment: Assignments.Assignment
  readonly self: Reins
  readonly tries: Tries
  readonly worked: Turned
}

/** Waits as long as the run does after a turn. Answers the end instead, if it waits for nothing. */
const rested = Effect.fnUntraced(function* (hosting: Hosting, { assignment, self, tries, worked }: Rested) {
  const { run } = assignment
  const { at, hidden, next, position, waits } = worked
  Object.assign(tries, { inRow: 0, failures: 0 })
  const news = newsOf(run, worked)
  if (next !== undefined) yield* hosting.follow(next, assignment.agent)
  // A run whose task is done again elsewhere waits for nothing any more, even if it is held.
  if (next !== undefined || waits.length === 0) {
    const more = next === undefined ? unfinished(worked) : { next: next.id }
    return yield* close(assignment, { how: "ended", ...more }, news)
  }
  yield* WebhookOutbox.tell(run, news)
  const rest: Assignments.Rest = { tick: position.head.tick, at, ...(hidden === undefined ? {} : { hidden }) }
  yield* Assignments.rest(assignment, rest)
  yield* enter(self, "waiting")
  yield* wait(run, { rest, waits }, self)
  return undefined
})

/** The reason why an agent has left a run of which the goal is not reached, unless its last act was done. */
const unfinished = ({ outcome, position }: LiveRun.Worked): { readonly reason?: string } => {
  if (Goal.isReached(position.state)) return {}
  switch (outcome?._tag) {
    case undefined:
      return { reason: "Its agent proposed nothing" }
    case "Refused":
      return { reason: "The last proposal was refused, and its agent made no other" }
    case "Failed":
      return { reason: "The last act failed, and its agent proposed no other" }
    default:
      return {}
  }
}

/** Leaves a run that a fiber works on: its turn is ended, or interrupted if that takes too long. */
export const leave = Effect.fnUntraced(function* (
  self: Reins,
  fiber: Fiber.Fiber<unknown, unknown>,
  leaveMillis: number
) {
  yield* Deferred.succeed(self.leaving, undefined)
  yield* Effect.timeoutOption(Fiber.await(fiber), Duration.millis(leaveMillis))
  yield* Fiber.interrupt(fiber)
})

/** Tells whether an assignment is open, and was not made anew since. */
const isStanding = Effect.fnUntraced(function* ({ round, run }: Assignments.Assignment) {
  const standing = yield* Assignments.find(run)
  return standing !== undefined && standing.ending === undefined && standing.round === round
})

/** Enters a stage of the work. */
const enter = Effect.fnUntraced(function* (self: Reins, doing: Doing) {
  const from = self.doing
  self.doing = doing
  yield* HostMetrics.moved(from, doing)
})

/**
 * Lets the agent act once, and answers as {@link acted}. A root span: the request that began the run is over.
 */
const turn = (hosting: Hosting, assignment: Assignments.Assignment, self: Reins) =>
  Effect.withSpan(acted(hosting, assignment, self), "HostedRun.turn", {
    root: true,
    attributes: {
      "workflow.run_id": assignment.run.id,
      "backstitch.tenant": assignment.run.tenant,
      "backstitch.agent": assignment.agent,
      "backstitch.round": assignment.round
    }
  })

/** Lets the agent act once, and finds what the run waits for then; `undefined` if it is somebody else's by now. */
const acted = Effect.fnUntraced(function* (
  { agents, slots }: Hosting,
  assignment: Assignments.Assignment,
  self: Reins
) {
  if (!(yield* isStanding(assignment))) return undefined
  const { agent, run } = assignment
  const { pack: own } = yield* agents.find(agent)
  const library = yield* PackLibrary.PackLibrary
  const leaves = () => Deferred.isDoneUnsafe(self.leaving)
  const works = Effect.gen(function* () {
    yield* enter(self, "working")
    const at = yield* Clock.currentTimeMillis
    return { ...(yield* LiveRun.work(run, { leaves, pack: own.digest, waiting: () => {} })), at }
  })
  const worked = yield* agents
    .as(
      agent,
      run.tenant
    )(works)
    .pipe(WorkSlot.within(slots, run.tenant, Deferred.await(self.leaving)))
  const { outcome, position } = worked
  const pack = yield* library.inForce(position.state, position.head.tick + 1)
  const hidden = RunWaits.hiddenBy(outcome, position.asOf)
  const turned: Turned = { ...worked, hidden, waits: RunWaits.of({ hidden, pack, position }) }
  return turned
})

/** A turn that has ended: the work of the agent, the moment at which it began, and what the run waits for then. */
interface Turned extends LiveRun.Worked {
  readonly at: number
  readonly hidden: RunWaits.HiddenWait | undefined
  readonly waits: ReadonlyArray<RunWaits.RunWait>
}

/** A run that waits: since when, and for what. */
interface Resting {
  readonly rest: Assignments.Rest
  readonly waits: ReadonlyArray<RunWaits.RunWait>
}

/** Finds the wait in which an earlier process has left a run; `undefined` if the agent is to act. */
const resting = Effect.fnUntraced(function* ({ agents }: Hosting, { agent, round, run }: Assignments.Assignment) {
  const standing = yield* Assignments.find(run)
  const rest = standing?.round === round ? standing.rest : undefined
  if (rest === undefined) return undefined
  const { pack: own } = yield* agents.find(agent)
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const position = yield* history.at(run, rest.tick)
  const pack = yield* library.inForce(position.state, rest.tick + 1)
  const waits = RunWaits.of({ hidden: rest.hidden, pack, position })
  const found: Resting | undefined = pack?.digest === own.digest && waits.length > 0 ? { rest, waits } : undefined
  return found
})

/** Waits until somebody commits to the run, a time comes, or the run is to be left or not to wait. */
const wait = Effect.fnUntraced(function* (run: Run, { rest, waits }: Resting, self: Reins) {
  const store = yield* TraceStore.TraceStore
  const now = yield* Clock.currentTimeMillis
  const due = RunWaits.wakesAt(waits, rest.at)
  const news = store.changes({ run, from: rest.tick + 1 }).pipe(
    Stream.filter(({ sealed }) => RunWaits.mayEndWait(Transition.open(sealed).body.type)),
    Stream.runHead,
    Effect.retry(Schedule.min([Schedule.exponential(retries.firstMillis), Schedule.spaced(retries.maxMillis)]))
  )
  yield* Effect.raceAll([
    Effect.asVoid(news),
    due === undefined ? Effect.never : Effect.sleep(Duration.millis(Math.max(0, due - now))),
    Deferred.await(self.leaving),
    Deferred.await(self.nudge)
  ])
  self.nudge = Deferred.makeUnsafe<void>()
})

/** Waits before the next try. Each wait in a row is twice as long as the one before, up to the longest. */
const patience = (self: Reins, { inRow }: Tries) =>
  Effect.race(Effect.sleep(Duration.millis(Backoff.wait(retries, inRow))), Deferred.await(self.leaving))

/** Tells the end of a run, and closes its assignment. After a crash in between, the end is told once more. */
export const close = Effect.fnUntraced(function* (
  assignment: Assignments.Assignment,
  ending: Omit<Assignments.AssignmentEnding, "at">,
  news: ReturnType<typeof newsOf> = Effect.succeed([])
) {
  const { round, run } = assignment
  if (ending.how === "failed") yield* Effect.logWarning("A hosted run was given up").pipe(annotated(assignment))
  const noted: Assignments.AssignmentEnding = { ...ending, at: yield* Clock.currentTimeMillis }
  const all = Effect.map(news, (found) => [...found, RunNews.ended(run, { ...ending, round })])
  yield* WebhookOutbox.tell(run, all, { isLast: true })
  yield* Assignments.close(assignment, noted)
  return noted
})

/** Finds the news of a turn, for endpoints that want any: for no other reason are cards and histories read. */
const newsOf = Effect.fnUntraced(function* (
  run: Run,
  { alarms, position: { state }, waits }: LiveRun.Worked & Pick<Resting, "waits">
) {
  const cards = yield* cardsOf(run, state)
  const histories = RunNews.isHolding(waits) ? yield* historiesOf(run) : undefined
  return RunNews.of(run, { alarms, cards, histories, state, waits })
})

const historiesOf = (run: Run) =>
  Effect.flatMap(History.History, (history) => Effect.map(history.transitions(run), ActionHistories.all))

/** The cards of the approvals that wait, as everybody is shown them: from the record. */
const cardsOf = Effect.fnUntraced(function* (run: Run, state: State) {
  if (Reviews.pending(state).length === 0) return []
  const store = yield* TraceStore.TraceStore
  const info = yield* store.info(run)
  return info === undefined ? [] : yield* PendingApprovals.ofRun(info)
})

const headOf = Effect.fnUntraced(function* (run: Run) {
  const store = yield* TraceStore.TraceStore
  return (yield* store.info(run))?.head.tick ?? 0
})

interface Failure {
  /** The store may answer the next time. */
  readonly isPassing: boolean
  /** No try can end otherwise: a person has to accept foreign keys. */
  readonly isFinal: boolean
  readonly message: string
}

const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  const isPassing = Predicate.isTagged(error, "TraceStoreError") && "isOutage" in error && error.isOutage === true
  return {
    isPassing,
    isFinal: Predicate.isTagged(error, "KeysDiffer"),
    message: error instanceof Error ? error.message : String(error)
  }
}
