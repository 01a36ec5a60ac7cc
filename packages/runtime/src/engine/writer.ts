/**
 * Writes one run from this process. It decides commands one at a time, in the order of their arrival, and makes the
 * results durable. If another process was faster, it decides again.
 */

import type { Command } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import type { Decided, NextQuestion } from "@backstitch/kernel/Decision"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import type { Kernel } from "@backstitch/kernel/Kernel"
import type * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import type { State } from "@backstitch/reducer/State"
import type * as Claims from "@backstitch/trace/Claims"
import type { Run, RunId } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import * as History from "../history/History.ts"
import * as OpenRecord from "../history/openRecord.ts"
import * as OwnTransitions from "../history/ownTransitions.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import type * as RunRecord from "../history/runRecord.ts"
import * as SubtaskLift from "../history/subtaskLift.ts"
import * as Limits from "../Limits.ts"
import * as FaultPoint from "../ports/FaultPoint.ts"
import * as ActionSpans from "../telemetry/ActionSpans.ts"
import * as MetricsExport from "../telemetry/MetricsExport.ts"
import * as FlushTimer from "./flushTimer.ts"
import { makeRepeats, type Repeated, together } from "./repeatedDecisions.ts"
import { retryLostAppend } from "./retryLostAppend.ts"
import * as SnapshotKeeper from "./SnapshotKeeper.ts"
import { actionOf, standingAt } from "./settledOutcome.ts"
import * as SteadyTime from "./steadyTime.ts"
import * as Looking from "./storeQueries.ts"

/** The action that a proposal became, under its present id. */
export interface Ticket extends ActionSpans.Traced {
  /** The decision with which a faster process ended the proposal. A call under way then decides nothing more. */
  ended?: Decided | undefined
}

/**
 * A decision that is not durable yet. It is one of three: a read, whose action gets another id if another process was
 * faster; a settlement that the system of record can be asked about again; or a repeated refusal, which keeps its
 * name.
 */
interface Staged {
  readonly ticket: Ticket
  readonly command: Command
  readonly drafts: ReadonlyArray<Draft>
  readonly repeats?: string | undefined
  /** The tick of its first transition, if no other process is faster. */
  readonly tick: number
}

/**
 * The place in a run at which the next command is decided: the head, and the transitions that wait for the next
 * commit.
 */
export interface WritePosition {
  readonly state: State
  /** Transitions that are decided and not yet durable. */
  readonly staged: ReadonlyArray<Transition>
  /** The tick up to which the run is durable. */
  readonly tick: number
  /**
   * Counts how often another process was faster. Transitions that were staged then have other ticks, and may differ.
   */
  readonly overtaken: number
}

const { conflictsMax } = Limits.pacing

const same = (draft: Draft): Draft => draft

/**
 * Names the writer in a draft that begins an effect. Without that, two processes that decide the same in one
 * millisecond would commit equal bytes. The store would take the second commit for a repetition of the first, and
 * both would send.
 */
const ownDraft =
  (writer: string) =>
  (draft: Draft): Draft =>
    draft.body.type === "action.started" ? { ...draft, envelope: { ...draft.envelope, writer } } : draft

/**
 * Makes the command that is decided now, with the facts learnt since it was first asked. Its action may have another
 * name by now.
 */
const of = (asked: Command, again: Command | undefined): Command =>
  again === undefined ? asked : "action" in asked && "action" in again ? { ...again, action: asked.action } : again

/** The command for the action of a ticket. A staged read is given another name if another process was faster. */
export const named = (command: Command, { action }: Ticket): Command =>
  "action" in command && action !== "" ? { ...command, action } : command

/** Errors of committing staged transitions. */
type FlushError = Claims.ClaimRefused | History.HistoryError | TraceStore.TickConflict

/** Tells whether the request of a decision can be sent. A call that is begun has to be sent, and is durable by then. */
export type Sendable<E> = (next: NextQuestion) => Effect.Effect<unknown, E>

/** The questions of a writer to the handle that has it. */
export interface Surroundings<E> {
  readonly sendable: Sendable<E>
  readonly consumers: Looking.ConsumersOf
}

/** Opens a writer at a position. Closing the scope keeps a snapshot, so that the next process begins where it ends. */
export const make = Effect.fnUntraced(function* <E>(options: Options & Surroundings<E>) {
  const { snapshots: dial, consumers, kernel, lineage, run, secret, sendable } = options
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const store = yield* TraceStore.TraceStore
  const { fold, stored } = history
  const lock = yield* Semaphore.make(1)
  const meters = yield* MetricsExport.MetricsExport
  const repeats = makeRepeats()
  let committed = options.at
  let steps: Array<Step.Step> = []
  let staging = Commit.begin(options.at)
  let staged: ReadonlyArray<Staged> = []
  let since: number | undefined
  let overtaken = 0
  const { durable, ...last } = OwnTransitions.ofWriter({ run, stored, head: () => committed.head.tick })
  const look = yield* Looking.make({ run, consumers, durable, flush: Effect.suspend(() => flush) })
  const own = ownDraft((yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36))
  const { leaps, now } = SteadyTime.make(() => committed.asOf)
  const checkpoints = yield* SnapshotKeeper.make({ run, dial, at: () => committed })
  const timer = yield* FlushTimer.make({
    now,
    since: () => since,
    flush: Effect.suspend((): Effect.Effect<void, unknown> => settled)
  })

  /** Continues at a head, with nothing staged. */
  const standAt = (at: History.At): void => {
    committed = at
    staging = Commit.begin(at)
    staged = []
    since = undefined
  }

  const nextTick = (): number => staging.head.tick + staging.transitions.length + 1

  const termsAt = (clock: number): DecisionTerms => {
    const tick = nextTick()
    return { run, lineage, now: clock, tick, secret, pack: library.packAt(staging.state, tick), leaps: leaps() }
  }

  const decide = (command: Command, { ended, tracing }: Ticket): Effect.Effect<Decided, History.HistoryError> =>
    Effect.flatMap(now, (clock) =>
      library.folding(() =>
        // The outcome that it had while another process was faster is staged already.
        ended === undefined
          ? ActionSpans.named(tracing, kernel.decide(termsAt(clock), staging.state, command))
          : { ...ended, drafts: [] }
      )
    )

  /** Folds further drafts after the staged ones. */
  const stagedWith = (more: ReadonlyArray<Draft>) => library.folding(() => Commit.stage(fold, staging, more))

  const append = Effect.fnUntraced(function* (ready: Commit.Staging, parent?: TraceStore.Parent) {
    yield* FaultPoint.at("append/before")
    const commit = Commit.seal(run, ready)
    const { claims, sealed: transitions } = commit
    yield* retryLostAppend(store.append({ run, expected: committed.head, transitions, claims, parent }))
    const before = committed.state
    const { head, state } = commit.position
    const pack = yield* library.inForce(state, head.tick + 1)
    if (SubtaskLift.isOn(state) || OpenRecord.isWatched(pack)) {
      for (const [index, transition] of commit.transitions.entries()) {
        steps.push({ before: commit.states[index - 1] ?? before, transition, after: commit.states[index]! })
      }
    }
    standAt(commit.position)
    last.add(transitions)
    if (meters !== undefined) yield* Effect.ignore(counted(meters, before, commit.transitions))
    yield* FaultPoint.at("append/committed")
    yield* checkpoints.committed
  })

  const counted = Effect.fnUntraced(function* (
    { count }: MetricsExport.Counting,
    before: State,
    transitions: ReadonlyArray<Transition>
  ) {
    const pack = yield* library.inForce(before, committed.head.tick)
    yield* count({ run, before, pack, transitions, read: durable })
  })

  /** Another process was faster: reads its transitions, and decides the staged commands again. */
  const catchUp: Effect.Effect<void, FlushError> = Effect.gen(function* () {
    const info = yield* stored.info(run)
    const again = staged
    steps = []
    standAt(yield* stored.walk(run, { from: committed, to: info.head.tick, visit: () => undefined }))
    last.forget()
    overtaken++
    for (const each of again) {
      // The other process may have recorded the alarm; if it has not, the alarm is due again.
      if (each.command._tag === "Annotate" && each.command.type === "predicate.violation") continue
      const decision = yield* settle(named(each.command, each.ticket), each.ticket)
      if (each.repeats !== undefined) {
        // A decision that would be another by now, such as on a call that was approved, is not committed as it was.
        if (repeats.of(decision)?.name === each.repeats) yield* hold(each)
        continue
      }
      if (decision.flush === "now") each.ticket.ended = decision
      yield* stage(each.ticket, each.command, decision)
    }
  })

  const movedTo = (tick: number) => (tick === committed.head.tick ? Effect.succeed(false) : Effect.as(catchUp, true))
  const caughtUp = () => Effect.flatMap(stored.info(run), ({ head }) => movedTo(head.tick))

  /** Makes the staged transitions durable. After a faster process, none of them may remain. */
  const flush: Effect.Effect<void, FlushError> = Effect.gen(function* () {
    for (let attempt = 0; staged.length > 0; attempt++) {
      const answer = yield* Effect.result(append(staging))
      if (answer._tag === "Success") return
      if (answer.failure._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(answer.failure)
      yield* catchUp
    }
  })

  const hold = Effect.fnUntraced(function* (each: Omit<Staged, "tick">) {
    const tick = nextTick()
    staging = yield* stagedWith(each.drafts)
    staged = [...staged, { ...each, tick }]
  })

  const stage = Effect.fnUntraced(function* (ticket: Ticket, command: Command, decision: Decided) {
    ticket.action = actionOf(decision) ?? ticket.action
    if (decision.drafts.length > 0) yield* hold({ ticket, command, drafts: decision.drafts })
    if (decision.flush !== "soon") return
    const at = yield* now
    since ??= at
    // No timer runs in a loop that never yields, so the next settlement checks the time instead.
    yield* at - since < Limits.pacing.stagedMillisMax ? timer.arm : flush
  })

  /** Counts a repeated draft in the waiting transition, so that the next decision counts its share of the budget. */
  const repeat = Effect.fnUntraced(function* (
    each: Omit<Staged, "drafts" | "tick">,
    decision: Decided,
    { isDue, name }: Repeated
  ) {
    const [draft] = decision.drafts
    const known = staged.find(({ repeats }) => repeats === name)
    const tick = known?.tick ?? nextTick()
    if (known === undefined) yield* hold({ ...each, drafts: decision.drafts, repeats: name })
    else {
      const again = staged
      const [first, ...rest] = known.drafts
      staging = Commit.begin(committed)
      staged = []
      for (const one of again) {
        const isJoined = one === known && first !== undefined && draft !== undefined
        yield* hold(isJoined ? { ...one, drafts: [together(first, draft), ...rest] } : one)
      }
    }
    if (isDue) yield* flush
    return repeats.noted(standingAt(decision, tick))
  })

  /**
   * Commits `run.migrated` before a decision by other rules than those of the run. It becomes durable with the next
   * commit.
   */
  const migrate = Effect.suspend(() => {
    const [command, ticket] = [{ _tag: "Migrate", rules: kernel.rules.version } as const, { action: "" }]
    return Effect.flatMap(decide(command, ticket), (decided) => stage(ticket, command, decided))
  })

  /** Decides a command at the present place, and runs the store queries that the kernel asks for. */
  const settle = (asked: Command, ticket: Ticket): Effect.Effect<Decided, FlushError> =>
    Effect.flatMap(decide(asked, ticket), (decided) =>
      decided.next._tag !== "Look"
        ? Effect.succeed(decided)
        : Effect.flatMap(look(decided.next.look, staging.transitions), (answer) =>
            settle(Interpreter.next(decided, { _tag: "Seen", answer }), ticket)
          )
    )

  /** Decides a command and makes it durable, repeatedly while other processes are faster. */
  const transact = Effect.fnUntraced(function* (ask: (ticket: Ticket) => Command, ticket: Ticket) {
    let again: Command | undefined
    for (let attempt = 0; ; attempt++) {
      const asked = of(ask(ticket), again)
      // A record that was read is still compared with another process's settlement.
      if (ticket.ended !== undefined && asked._tag !== "ReadBack") return ticket.ended
      const decided = yield* settle(asked, { ...ticket, ended: undefined })
      if (decided.drafts.length > 0 && DecisionRules.isOther(kernel.rules, staging.state)) {
        yield* migrate
        continue
      }
      if (decided.drafts.length > 0) yield* sendable(decided.next)
      yield* FaultPoint.at("propose/decided")
      if (decided.flush !== "now") {
        yield* stage(ticket, asked, decided)
        return decided
      }
      const repeated = repeats.of(decided)
      // A repeated refusal is not appended at once, so no append tells it of the commits of others.
      if (repeated !== undefined && (yield* caughtUp())) {
        again = Interpreter.next(decided, { _tag: "Overtaken" })
        continue
      }
      if (repeated !== undefined) return yield* repeat({ ticket, command: asked }, decided, repeated)
      const drafts = decided.drafts.map(asked._tag === "Import" ? same : own)
      if (drafts.length + staged.length === 0) return decided
      const answer = yield* Effect.result(append(yield* stagedWith(drafts)))
      if (answer._tag === "Success") {
        ticket.action = actionOf(decided) ?? ticket.action
        return repeats.noted(decided)
      }
      // A run that another process has begun under the same name is not continued: the caller is told.
      const isMet = answer.failure._tag === "ClaimRefused" && asked._tag !== "Start"
      const met = isMet ? yield* refused(answer.failure, decided, ticket) : answer
      if (met._tag === "Success" && met.success.next._tag !== "Again") return met.success
      if (met._tag === "Success") again = Interpreter.next(met.success, { _tag: "Due" })
      else {
        if (met.failure._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(met.failure)
        again = Interpreter.next(decided, { _tag: "Overtaken" })
        yield* catchUp
      }
    }
  })

  /** A name is held elsewhere. The kernel decides what follows, or how the command is decided again. */
  const refused = Effect.fnUntraced(
    function* (refusal: Claims.ClaimRefused, decided: Decided, ticket: Ticket) {
      const command = Interpreter.next(decided, { _tag: "Refused", refusal })
      const answer = yield* settle(command, ticket)
      const repeated = repeats.of(answer)
      if (repeated !== undefined) return yield* repeat({ ticket, command }, answer, repeated)
      if (answer.drafts.length > 0) yield* append(yield* stagedWith(answer.drafts))
      return repeats.noted(answer)
    },
    (met) => Effect.result(met)
  )

  const exclusively = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Semaphore.withPermits(lock, 1)(effect)
  const settled = Effect.suspend(() => (since === undefined ? Effect.void : exclusively(flush)))
  // Runs before the last snapshot is kept, so that the last transitions of the run are committed by then.
  yield* Effect.addFinalizer(() => Effect.ignore(settled))

  return {
    now,
    /** Answers the position that the store has acknowledged. */
    at: () => committed,
    /**
     * Hands over the transitions of a run with subtasks, revisions or alarms that were committed since the last call,
     * and the position after them. Transitions of other processes are not among them.
     */
    committed: (): RunRecord.CommittedSteps => {
      const taken = steps
      steps = []
      return { at: committed, steps: taken }
    },
    /** Answers the place at which the next command is decided. */
    standing: (): WritePosition => ({
      state: staging.state,
      staged: staging.transitions,
      tick: committed.head.tick,
      overtaken
    }),
    durable,
    decide: (ask: (ticket: Ticket) => Command, ticket: Ticket) => exclusively(transact(ask, ticket)),
    catchUp: exclusively(caughtUp()),
    /** Makes the staged transitions durable. */
    flush: exclusively(flush),
    /** Makes the staged transitions durable if a settlement is among them that a caller has been told about. */
    settled,
    /** Makes staged transitions durable before a call of the tool, if the checkpoint before the call demands it. */
    beforeCall: (tool: string) =>
      Effect.flatMap(checkpoints.beforeCall(tool, staging.transitions), ({ after, flush: isDue }) =>
        isDue ? Effect.andThen(exclusively(flush), after) : after
      ),
    commit: (drafts: ReadonlyArray<Draft>, parent?: TraceStore.Parent) =>
      exclusively(Effect.flatMap(stagedWith(drafts), (ready) => append(ready, parent)))
  }
})

/** Parts of an open run. */
export interface Options {
  readonly run: Run
  /** The first ancestor of the run. */
  readonly lineage: RunId
  readonly at: History.At
  readonly kernel: Kernel
  readonly secret: string
  readonly snapshots: SnapshotDial.SnapshotDial
}

/** An open writer. */
export type Writer<E> = Effect.Success<ReturnType<typeof make<E>>>
