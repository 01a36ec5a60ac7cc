/**
 * One open run: propose to it, settle what a crash left open, read where it stands.
 *
 * Commands of one process are decided one at a time, in the order in which
 * they arrive. Calls to the world happen between decisions, so a slow tool
 * holds up nothing but its own action.
 *
 * @since 0.1.0
 */
import * as Check from "@backstitch/kernel/Check"
import * as Claimed from "@backstitch/kernel/Claimed"
import type { Command, Evidence } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import type { Decision, Next } from "@backstitch/kernel/Decision"
import type { Delivery } from "@backstitch/kernel/Delivery"
import * as Forward from "@backstitch/kernel/Forward"
import * as Import from "@backstitch/kernel/Import"
import type { Kernel } from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { Terms } from "@backstitch/kernel/Terms"
import type * as CheckpointDial from "@backstitch/ledger/CheckpointDial"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import * as Contract from "@backstitch/reducer/Contract"
import * as State from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import type { Digest } from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Checkpointing from "./Checkpointing.ts"
import * as FaultPoint from "./FaultPoint.ts"
import type * as History from "./History.ts"
import { actionOf, contextOf, informed, isDone, isFailed, requestHashOf } from "./internal/decided.ts"
import { freeze } from "./internal/freeze.ts"
import { furtherSources } from "./internal/furtherSources.ts"
import { inherited } from "./internal/inherited.ts"
import * as Moving from "./internal/moving.ts"
import { filled, holderOf } from "./internal/outcomeIn.ts"
import { patiently } from "./internal/patiently.ts"
import { readProposal } from "./internal/readProposal.ts"
import { makeRepeats } from "./internal/repetition.ts"
import * as SteadyTime from "./internal/steadyTime.ts"
import * as Transacting from "./internal/transacting.ts"
import { isUndoing, isWaiting, parked, remainingIn, toRecover } from "./internal/undoing.ts"
import type * as Library from "./Library.ts"
import * as Meters from "./Meters.ts"
import * as ToolExecutor from "./ToolExecutor.ts"
import * as Tracing from "./Tracing.ts"

/**
 * What can go wrong while a run is written: the store, the trace or its sources, never the domain.
 *
 * @category errors
 * @since 0.1.0
 */
export type RunError = Claims.ClaimRefused | History.HistoryError | TraceStore.TickConflict

/**
 * One open run.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunHandle {
  readonly run: Run
  /** Where the run stands: what is acknowledged. */
  readonly position: Effect.Effect<Commit.Position>
  readonly packDigest: Effect.Effect<string>
  /** Carries out a proposal as far as it goes now. */
  readonly propose: (proposal: Proposal) => Effect.Effect<Outcome, RunError>
  /** Carries out an intent of another run as far as it goes now. What is refused leaves no trace. */
  readonly importIntent: (imported: Imported) => Effect.Effect<Outcome, RunError>
  /** Settles what a crash or a hold left open, one outcome an action. */
  readonly recover: Effect.Effect<ReadonlyArray<Outcome>, RunError>
  /** Takes in what a provider tells of its own accord. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<Outcome, RunError>
  /** Completes what remains behind a pivot, as far as its arguments are known; `undefined` where nothing remains. */
  readonly complete: Effect.Effect<Outcome | undefined, RunError>
  /** Undoes settled actions, the last one first, as far as that is admitted. */
  readonly undo: (wanted: UndoPlan.Wanted) => Effect.Effect<Outcome, RunError>
  /** Records an analysis, or an anomaly that the runtime noticed. */
  readonly report: (type: ReportType, data: JsonObject) => Effect.Effect<Outcome, RunError>
  /** Begins the run. */
  readonly start: (
    opening: Omit<Command & { readonly _tag: "Start" }, "_tag" | "fold">
  ) => Effect.Effect<Outcome, RunError>
  /** Appends drafts that were decided elsewhere, such as a fork's first. */
  readonly commit: (drafts: ReadonlyArray<Draft>, parent?: TraceStore.Parent) => Effect.Effect<void, RunError>
}

/**
 * An intent of another run, with its provenance and the context hash that it was judged under.
 *
 * @category models
 * @since 0.1.0
 */
export type Imported = Omit<Command & { readonly _tag: "Import" }, "_tag" | "generation" | "adopted">

/**
 * Analyses and anomalies that the runtime may record.
 *
 * @category models
 * @since 0.1.0
 */
export type ReportType = (Command & { readonly _tag: "Report" })["type"]

/**
 * What an open run is made of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly run: Run
  readonly at: History.At
  readonly kernel: Kernel
  readonly secret: string
  readonly checkpoint: CheckpointDial.CheckpointDial
  readonly services: {
    readonly store: TraceStore.TraceStore["Service"]
    readonly history: History.History["Service"]
    readonly library: Library.Library["Service"]
    readonly executor: ToolExecutor.ToolExecutor["Service"]
  }
}

/**
 * Where a run stands that was never written.
 *
 * @category constructors
 * @since 0.1.0
 */
export const unwritten = (run: Run): Commit.Position => ({ head: HashChain.genesis(run), state: State.empty, asOf: 0 })

/** A read that is decided and not yet durable. Its action gets another id if another process was faster. */
interface Staged {
  readonly ticket: Ticket
  readonly command: Command
  drafts: ReadonlyArray<Draft>
}

/** The action that a proposal became, as its id stands now. */
interface Ticket extends Tracing.Traced, Transacting.Holder {
  /** What the proposal came to while another process was faster. A call that is under way decides nothing more. */
  ended?: Decision
}

const conflictsMax = 50

/**
 * Opens a handle at a position. Closing the scope keeps a snapshot, so that the next process begins where this one
 * ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const {
    kernel,
    run,
    services: { executor, history, library, store }
  } = options
  const { fold } = history
  const lineage = (yield* history.root(run)).id
  const lock = yield* Semaphore.make(1)
  const meters = yield* Meters.Meters
  const repeats = makeRepeats()
  const moves = Moving.make(run, history)
  const unrecorded = new Set<string>()
  let committed = options.at
  let tip = options.at.state
  let staged: ReadonlyArray<Staged> = []
  const { leaps, now: time } = SteadyTime.make(() => committed.asOf)
  const { checkpoint: dial } = options
  const checkpoints = yield* Checkpointing.make({ run, dial, history, library, at: () => committed })

  const termsAt = (state: State.State, tick: number, now: number): Terms => {
    const pack = library.packAt(state, tick)
    return { run, lineage, now, tick, secret: options.secret, pack, leaps: leaps() }
  }

  const decide = (command: Command, { tracing }: Ticket) =>
    Effect.flatMap(time, (clock) =>
      library.folding(() => {
        const tick = committed.head.tick + staged.reduce((sum, { drafts }) => sum + drafts.length, 0) + 1
        const terms = termsAt(tip, tick, clock)
        return { terms, decision: Tracing.named(tracing, kernel.decide(terms, tip, command)) }
      })
    )

  const assemble = Effect.fnUntraced(function* (more: ReadonlyArray<Draft>) {
    const drafts = [...staged.flatMap((each) => each.drafts), ...more]
    yield* moves.prepare(drafts, committed.state)
    return yield* library.folding(() => Commit.assemble(fold, { run, at: committed, drafts, watch: moves.watch() }))
  })

  const append = Effect.fnUntraced(function* (commit: Commit.Commit, parent?: TraceStore.Parent) {
    yield* FaultPoint.at("append/before")
    const { claims, sealed: transitions } = commit
    yield* patiently(store.append({ run, expected: committed.head, transitions, claims, parent }))
    const before = committed.state
    committed = commit.position
    tip = committed.state
    staged = []
    moves.follow(commit.transitions)
    if (meters !== undefined) yield* Effect.ignore(count(before, commit.transitions))
    yield* FaultPoint.at("append/committed")
    yield* checkpoints.committed
  })

  const count = Effect.fnUntraced(function* (before: State.State, transitions: ReadonlyArray<Transition>) {
    const pack = yield* library.folding(() => library.packAt(before, committed.head.tick))
    yield* meters!.count({ run, before, pack, transitions, read: (from) => history.transitions(run, { from }) })
  })

  /** Another process was faster: take in its tail, and decide again what was staged. */
  const catchUp = Effect.gen(function* () {
    const info = yield* history.info(run)
    committed = yield* history.walk(run, { from: committed, to: info.head.tick, visit: moves.saw })
    tip = committed.state
    const again = staged
    staged = []
    for (const each of again) {
      const { decision } = yield* decide(each.command, each.ticket)
      if (decision.flush === "now") each.ticket.ended = decision
      yield* stage(each.ticket, each.command, decision)
    }
  })

  /** What is staged becomes durable. What others did meanwhile may leave nothing of it. */
  const flush = Effect.gen(function* () {
    for (let attempt = 0; staged.length > 0; attempt++) {
      const answer = yield* Effect.result(Effect.flatMap(assemble([]), (commit) => append(commit)))
      if (answer._tag === "Success") return
      if (answer.failure._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(answer.failure)
      yield* catchUp
    }
  })

  const stage = Effect.fnUntraced(function* (ticket: Ticket, command: Command, decision: Decision) {
    ticket.action = actionOf(decision) ?? ticket.action
    if (decision.drafts.length === 0) return
    staged = [...staged, { ticket, command, drafts: decision.drafts }]
    tip = (yield* assemble([])).position.state
  })

  /** Decides a command and makes it durable, again and again while others are faster. */
  const transact = Effect.fnUntraced(function* (ask: (ticket: Ticket) => Command, ticket: Ticket) {
    let context: Digest | undefined
    let generation = 0
    let adopted: Import.Adopted | undefined
    let looked: string | undefined
    for (let attempt = 0; ; attempt++) {
      if (ticket.ended !== undefined) return ticket.ended
      const asked = ask(ticket)
      const command = informed(asked, { adopted, context, generation })
      const { decision: decided, terms } = yield* decide(command, ticket)
      const decision = yield* moves.late({ terms, state: tip }, asked, decided)
      yield* FaultPoint.at("propose/decided")
      const key = asked._tag === "Import" ? Import.keyOf(decision) : undefined
      if (key !== looked && adopted === undefined) {
        looked = key
        adopted = yield* inherited(history, run, key)
        if (adopted !== undefined) continue
      }
      if (decision.flush === "later") {
        yield* stage(ticket, asked, decision)
        return decision
      }
      const drafts = repeats.coalesced(decision)
      if (drafts.length + staged.length === 0) return repeats.noted(decision)
      const answer = yield* Effect.result(append(yield* assemble(drafts)))
      if (answer._tag === "Success") {
        ticket.action = actionOf(decision) ?? ticket.action
        return repeats.noted(decision)
      }
      const error = answer.failure
      if (error._tag === "ClaimRefused" && isWaiting(asked)) {
        const failed = asked._tag === "Complete" && isFailed(yield* holderOf(history, run.tenant, error), decision)
        if (!failed || attempt >= conflictsMax) return parked(error, decision)
        generation++
        continue
      }
      if (error._tag === "ClaimRefused" && (asked._tag === "Propose" || asked._tag === "Import")) {
        const holder = yield* holderOf(history, run.tenant, error)
        if (isFailed(holder, decision) && attempt < conflictsMax) {
          generation++
          continue
        }
        if (asked._tag === "Import" && isDone(holder, decision) && adopted === undefined) {
          adopted = { run: error.holder.run, action: holder.action, tick: holder.settled.tick }
          continue
        }
        const named = yield* Effect.result(claimed(terms, asked, { decision, holder, refusal: error }))
        if (named._tag === "Success") return named.success
        if (named.failure._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(named.failure)
      } else if (error._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(error)
      context ??= contextOf(decision)
      yield* catchUp
    }
  })

  /** A name is held elsewhere: the record answers, or the refusal names the holder. */
  const claimed = Effect.fnUntraced(function* (
    terms: Terms,
    asked: Command & { readonly _tag: "Propose" | "Import" },
    met: {
      readonly decision: Decision
      readonly holder: Claimed.Holder | undefined
      readonly refusal: Claims.ClaimRefused
    }
  ) {
    const { decision, holder, refusal } = met
    const answer = Claimed.decide(terms, {
      proposal: asked.proposal,
      requestHash: requestHashOf(decision),
      refusal,
      holder
    })
    if (asked._tag === "Import") return { ...answer, drafts: [] }
    yield* append(yield* assemble(repeats.coalesced(answer)))
    return repeats.noted(answer)
  })

  const exclusively = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Semaphore.withPermits(lock, 1)(effect)

  const asks = (ask: (ticket: Ticket) => Command, ticket: Ticket) => exclusively(transact(ask, ticket))

  const evidence = Effect.fnUntraced(function* (request: ToolExecutor.Request, kind: "call" | "status" | "readback") {
    const answer: Evidence = yield* executor[kind](request)
    const isMissing = answer._tag === "Unknown" && answer.reason === ToolExecutor.notRecorded
    if (executor.mode === "recorded" && isMissing && !unrecorded.has(request.action)) {
      unrecorded.add(request.action)
      const data = { action: request.action, kind: "replay.missing_output", tool: request.tool }
      yield* asks(() => ({ _tag: "Report", type: "kernel.anomaly", data }), { action: "" })
    }
    return answer
  })

  /** Carries a decision on until it ends: each answer of the world is decided again. */
  const follow = Effect.fnUntraced(function* (first: Decision, ticket: Ticket): Effect.fn.Return<Outcome, RunError> {
    let next: Next = first.next
    while (next._tag !== "End") {
      if (!Transacting.keeps(next)) yield* Transacting.abandon(ticket)
      // A reversal is an action of its own, and what it comes to is what became of all of it.
      if (next._tag === "Compensate") return yield* begin({ _tag: "Compensate" }, "undo")
      if (next._tag === "Complete") {
        yield* Effect.sleep(Duration.millis(Math.max(0, (next.untilMillis ?? 0) - (yield* time))))
        return yield* begin({ _tag: "Complete" }, "forward")
      }
      next = (yield* advance(next, ticket)).next
    }
    return yield* filled(history, run, next.outcome)
  })

  const advance = Effect.fnUntraced(function* (
    next: Exclude<Next, { readonly _tag: "Compensate" | "Complete" | "End" }>,
    ticket: Ticket
  ) {
    const recover = (): Command => ({ _tag: "Recover", action: ticket.action })
    switch (next._tag) {
      case "Wait": {
        // What is known has to survive the wait.
        yield* exclusively(flush)
        yield* Effect.sleep(Duration.millis(Math.max(0, next.untilMillis - (yield* time))))
        return yield* asks(recover, ticket)
      }
      case "Call":
      case "Open": {
        const drafts = staged.flatMap((each) => each.drafts)
        const { after, flush: isDue } = yield* checkpoints.beforeCall(next.request.tool, drafts)
        if (isDue) yield* exclusively(flush)
        yield* after
        yield* FaultPoint.at("effect/before")
        const began = yield* time
        if (began > next.request.sendBefore) return yield* asks(recover, ticket)
        const sends =
          next._tag === "Call" ? evidence(next.request, "call") : Transacting.open(ticket, executor, next.request)
        const answer = yield* Tracing.step(ticket.tracing, "execution", sends)
        yield* FaultPoint.at("effect/answered")
        const latencyMillis = (yield* time) - began
        return yield* asks(
          ({ action }) => ({ _tag: "Answered", action, via: "call", evidence: answer, askedAt: began, latencyMillis }),
          ticket
        )
      }
      case "Ask": {
        yield* FaultPoint.at("status/before")
        const askedAt = yield* time
        const answer = yield* Tracing.step(ticket.tracing, "recovery", evidence(next.request, "status"))
        yield* FaultPoint.at("status/answered")
        return yield* asks(
          ({ action }) => ({ _tag: "Answered", action, via: "status", evidence: answer, askedAt }),
          ticket
        )
      }
      case "ReadInside": {
        yield* FaultPoint.at("inside/before")
        const answer = yield* Tracing.step(ticket.tracing, "verification", Transacting.read(ticket))
        yield* FaultPoint.at("inside/answered")
        return yield* asks(({ action }) => ({ _tag: "ReadInside", action, evidence: answer }), ticket)
      }
      case "ReadBefore": {
        yield* FaultPoint.at("readback/before")
        const answer = yield* Tracing.step(ticket.tracing, "wrapper", evidence(next.request, "readback"))
        yield* FaultPoint.at("readback/answered")
        return yield* asks(({ action }) => ({ _tag: "ReadBefore", action, evidence: answer }), ticket)
      }
      case "Conclude":
      case "ReadBack": {
        const concluded = next._tag === "Conclude" ? yield* Transacting.conclude(ticket, next, time) : undefined
        yield* FaultPoint.at("readback/before")
        const answer = yield* Tracing.step(ticket.tracing, "verification", evidence(next.request, "readback"))
        const others = yield* furtherSources(next.request, (request) => evidence(request, "readback"))
        yield* FaultPoint.at("readback/answered")
        const about = { evidence: answer, others, concluded, source: next.request.source }
        const settled = yield* asks(({ action }) => ({ _tag: "ReadBack", action, ...about }), ticket)
        yield* FaultPoint.at("settle/committed")
        return settled
      }
    }
  })

  const remaining = Effect.suspend(() => remainingIn(library, committed))

  /** Carries an action on from its first command, in its spans where somebody traces. */
  const act = (ticket: Ticket, about: { readonly tool: string | undefined; readonly tick: number }, first: Command) =>
    Tracing.around(
      ticket,
      {
        ...about,
        run,
        pack: library.folding(() => library.packAt(committed.state, committed.head.tick)),
        read: history.transitions(run, { from: about.tick })
      },
      Effect.flatMap(
        asks(() => first, ticket),
        (decision) => Effect.ensuring(follow(decision, ticket), Transacting.abandon(ticket))
      )
    )

  const begin = (command: Command, tool?: string) =>
    Effect.suspend(() => act({ action: "" }, { tool, tick: committed.head.tick + 1 }, command))

  const handle: RunHandle = {
    run,
    position: Effect.sync(() => {
      freeze(committed.state)
      return committed
    }),
    packDigest: Effect.sync(() => Contract.of(committed.state).pack),
    report: (type, data) => begin({ _tag: "Report", type, data }),
    propose: Effect.fnUntraced(function* (given) {
      const read = readProposal(given)
      if (Result.isFailure(read)) {
        const checks = [
          Check.fail("schema", "proposal", {
            expected: "what a trace can carry",
            found: read.failure,
            remedy: "correct the proposal: nothing of it was recorded"
          })
        ]
        return { _tag: "Refused", tick: undefined, reason: Check.reason(checks), checks }
      }
      return yield* begin({ _tag: "Propose", proposal: read.success }, read.success.tool)
    }),
    importIntent: (imported) => begin({ _tag: "Import", ...imported }, imported.proposal.tool),
    recover: Effect.gen(function* () {
      const outcomes: Array<Outcome> = []
      for (const action of toRecover(committed.state)) {
        const open = OpenActions.of(committed.state)[action]
        const about = { tool: open?.tool, tick: open?.tick ?? 1 }
        if (open !== undefined) outcomes.push(yield* act({ action }, about, { _tag: "Recover", action }))
      }
      if (isUndoing(committed.state)) outcomes.push(yield* begin({ _tag: "Compensate" }, "undo"))
      else if (Forward.isUnderWay(yield* remaining)) outcomes.push(yield* begin({ _tag: "Complete" }, "forward"))
      return outcomes
    }),
    deliver: (delivery) => begin({ _tag: "Deliver", ...delivery }, delivery.tool),
    complete: Effect.flatMap(remaining, ({ length }) =>
      length === 0 ? Effect.succeed(undefined) : begin({ _tag: "Complete" }, "forward")
    ),
    undo: (wanted) => begin({ _tag: "Undo", wanted }),
    start: (opening) => begin({ _tag: "Start", ...opening, depth: VerificationDepth.version, fold: fold.version }),
    commit: (drafts, parent) => exclusively(Effect.flatMap(assemble(drafts), (commit) => append(commit, parent)))
  }
  return handle
})
