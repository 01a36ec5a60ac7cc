/**
 * One open run: propose to it, settle what a crash left open, and read its position.
 *
 * Commands of one process are decided one at a time, in the order of their arrival. Calls to the world happen between
 * decisions, so a slow tool delays only its own action.
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Check from "@backstitch/kernel/Check"
import type { Annotation, AnnotationType, Command, Rollback } from "@backstitch/kernel/Command"
import type * as Commit from "@backstitch/kernel/Commit"
import type { NextQuestion } from "@backstitch/kernel/Decision"
import type { Delivery, Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as ForwardRecovery from "@backstitch/kernel/ForwardRecovery"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Resolution from "@backstitch/kernel/Resolution"
import type * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as State from "@backstitch/reducer/State"
import type * as Alarms from "@backstitch/topology/Alarms"
import type * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { freeze } from "../engine/immutableState.ts"
import * as OpenTransaction from "../engine/openTransaction.ts"
import { readProposal, unrecordable } from "../engine/readProposal.ts"
import * as SealingEdge from "../engine/sealingEdge.ts"
import { settledOutcome } from "../engine/settledOutcome.ts"
import { isUndoing, toSettle } from "../engine/settlementOrder.ts"
import type { ConsumersOf } from "../engine/storeQueries.ts"
import type { WritePosition, Options as WriterOptions } from "../engine/writer.ts"
import { make as makeWriter, named, type Sendable } from "../engine/writer.ts"
import * as History from "../history/History.ts"
import * as OpenRecord from "../history/openRecord.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import type * as PlannerView from "../planner/PlannerView.ts"
import * as FaultPoint from "../ports/FaultPoint.ts"
import * as Pause from "../ports/Pause.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as Revealing from "../sealing/revealing.ts"
import type { Sealing } from "../sealing/Sealing.ts"
import * as ActionSpans from "../telemetry/ActionSpans.ts"
import * as DerivedFacts from "./derivedFacts.ts"
import * as RunSecret from "./RunSecret.ts"
import * as WorldQuestions from "./worldQuestions.ts"

/** Errors of writing a run: of the store, the trace and its sources, or sealed values; never of the domain. */
export type RunError =
  | Claims.ClaimRefused
  | History.HistoryError
  | RunSecret.KeysDiffer
  | TraceStore.TickConflict
  | SealingEdge.EdgeError

/** Actions to be undone, and a person's reason. */
export interface ActionsToUndo {
  readonly actions: ReadonlyArray<string>
  readonly because: string
  readonly cause: "rebase" | "revision"
  readonly masks?: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string>
}

/** An answer to a call of an action, and the time at which the call was sent, in epoch milliseconds. */
export interface LateAnswer {
  readonly action: string
  readonly evidence: Evidence
  readonly askedAt: number
}

/** One open run. */
export interface RunHandle {
  readonly run: Run
  /** The position of the run in the store, after a settlement that waits for the next commit is made durable. */
  readonly position: Effect.Effect<Commit.Position>
  /** The place at which the next proposal is decided, including transitions that are not yet durable. */
  readonly standing: Effect.Effect<WritePosition>
  /** Transitions from a tick on, or up to another one, including those that are not yet durable. */
  readonly transitions: (from: number, to?: number) => Effect.Effect<ReadonlyArray<Transition>, History.HistoryError>
  readonly packDigest: Effect.Effect<string>
  /**
   * Reads what other processes have committed; answers whether there was anything. A decision that commits something
   * does so by itself. One that commits nothing, such as that an action is held, may rest on an earlier head.
   */
  readonly catchUp: Effect.Effect<boolean, RunError>
  /**
   * Carries out a proposal as far as possible now. A success that the system of record can be asked about again, or of
   * a read that costs nothing, may become durable a few milliseconds later, or with the next proposal. Call `flush`
   * before you report it elsewhere. Until then a read gets another tick and action id if another process is faster.
   */
  readonly propose: (proposal: Proposal) => Effect.Effect<Outcome, RunError>
  /** Seals the sensitive values of a proposal, as for its commit; answers a check if no trace can carry it. */
  readonly seal: (proposal: Proposal) => Effect.Effect<Result.Result<Proposal, Check.Check>, RunError>
  /** Carries out an intent of another run as far as possible now. A refusal leaves no trace. */
  readonly importIntent: (imported: Imported) => Effect.Effect<Outcome, RunError>
  /**
   * Goes on with what a crash or a hold left open: settles each action, also one that was settled elsewhere, and then
   * an open undoing, or the steps behind a pivot.
   */
  readonly resume: Effect.Effect<ReadonlyArray<Outcome>, RunError>
  /** Settles one action that is open, and leaves the others to whoever began them; `undefined` if it is not open. */
  readonly settle: (action: string) => Effect.Effect<Outcome | undefined, RunError>
  /**
   * Takes in the answer of a tool that came after its time: it settles its action, is kept for the person who decides
   * about it, or is compared with the settlement. `undefined` if the action was not begun here.
   */
  readonly answer: (late: LateAnswer) => Effect.Effect<Outcome | undefined, RunError>
  /** Takes in a provider's delivery. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<Outcome, RunError>
  /** Completes the steps behind a pivot, as far as their arguments are known; `undefined` if none remain. */
  readonly complete: Effect.Effect<Outcome | undefined, RunError>
  /** The subtasks of the run by its trace; `undefined` if its contract declares none. */
  readonly subtasks: Effect.Effect<LiftedRun.LiftedRun | undefined, RunError>
  /** Takes a subtask back to a checkpoint that was admitted on {@link RunHandle.subtasks}. */
  readonly rollBack: (
    wanted: Omit<ActionsToUndo, "because" | "cause" | "scopes"> & { readonly because: string | Finding.Finding },
    rollback: Rollback
  ) => Effect.Effect<Outcome, RunError>
  /** The acts of the run at its head, to plan the absorption of a revision; `undefined` if none is permitted. */
  readonly judging: Effect.Effect<RunAbsorption.Judging | undefined, RunError>
  /** Carries out an absorption that was planned on {@link RunHandle.judging}. */
  readonly absorb: (command: Command & { readonly _tag: "Absorb" }) => Effect.Effect<Outcome, RunError>
  /** The alarms of the run by what is durable; `undefined` if its pack declares no topology. */
  readonly alarms: Effect.Effect<Alarms.Alarms | undefined, RunError>
  /** Undoes settled actions, the last one first, as far as that is admitted. */
  readonly undo: (wanted: ActionsToUndo) => Effect.Effect<Outcome, RunError>
  /** Opens, in a planner's view, the sealed values that the contract lets it see. */
  readonly reveal: (view: PlannerView.PlannerView) => Effect.Effect<PlannerView.PlannerView, RunError>
  /** Records an analysis, or an anomaly that the runtime noticed. */
  readonly annotate: <T extends AnnotationType>(type: T, data: Payload.Of<T>) => Effect.Effect<Outcome, RunError>
  /** Begins the run. */
  readonly start: (
    opening: Omit<Command & { readonly _tag: "Start" }, "_tag" | "fold" | "namespaces" | "rules">
  ) => Effect.Effect<Outcome, RunError>
  /** Makes the transitions durable that wait for the next commit. */
  readonly flush: Effect.Effect<void, RunError>
  /** Appends drafts that were decided elsewhere, such as the first of a fork. */
  readonly commit: (drafts: ReadonlyArray<Draft>, parent?: TraceStore.Parent) => Effect.Effect<void, RunError>
}

/** An intent of another run, with its provenance and the context hash under which it was judged. */
export type Imported = Omit<Command & { readonly _tag: "Import" }, "_tag" | "generation" | "adopted">

/** The position of a run that was never written. */
export const unwritten = (run: Run): Commit.Position => ({ head: HashChain.genesis(run), state: State.empty, asOf: 0 })

/** Nothing is recorded of a value that is no proposal. */
const refused = (check: Check.Check): Outcome => ({ _tag: "Refused", tick: undefined, checks: [check] })

/** Parts of an open handle: those of its writer, and the sealing if there is one. */
export interface Options extends WriterOptions {
  readonly sealing: Sealing["Service"] | undefined
}

/**
 * Opens a handle at a position. Closing the scope keeps a snapshot, so that the next process begins where this one
 * ends.
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { lineage, run, sealing } = options
  const executor = yield* ToolExecutor.ToolExecutor
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const around = yield* Effect.context<History.History | PackLibrary.PackLibrary | TraceStore.TraceStore>()
  const edge = SealingEdge.make({
    run,
    lineage,
    isRecorded: executor.mode === "recorded" || executor.isSealed === true,
    sealing
  })
  const sendable: Sendable<SealingEdge.EdgeError | History.HistoryError> = (next) =>
    next._tag === "Call" || next._tag === "Open" || next._tag === "ReadBefore"
      ? Effect.flatMap(packNow, (pack) => edge.request(pack, next.request))
      : Effect.void
  const consumers: ConsumersOf = (scopes) => Effect.suspend(() => subtasks.consumers(scopes))
  const writer = yield* makeWriter({ ...options, sendable, consumers })
  // Readers of the run in this process find everything on record that a caller was told.
  yield* history.written(run, writer.settled)
  const stored = history.stored
  const records = yield* OpenRecord.make(stored, run, writer.committed)
  const { judging, subtasks } = records
  const derived = yield* DerivedFacts.make(writer, records)

  /** Transitions of the run, including those that wait for the next commit. */
  const transitions = Effect.fnUntraced(function* (from: number, to = Number.POSITIVE_INFINITY) {
    const { staged, tick } = writer.standing()
    return [
      ...(yield* writer.durable(from, Math.min(to, tick))),
      ...staged.filter((each) => each.tick >= from && each.tick <= to)
    ]
  })

  const settledAt = (action: string): number | undefined => {
    const { state } = writer.standing()
    const settled = SettledActions.of(state).get(action)
    const isTouched = UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined
    return isTouched || settled?.undo !== "standing" ? undefined : settled.tick
  }

  const packNow = Effect.suspend(() => library.inForce(writer.at().state, writer.at().head.tick + 1))

  const { ask, recorded } = WorldQuestions.make({ edge, executor, packNow, transitions, writer })

  const seal = Effect.fnUntraced(function* (given: Proposal) {
    const read = readProposal(given)
    if (Result.isFailure(read)) return read
    const { state } = writer.standing()
    return Result.mapError(yield* edge.proposal(yield* packNow, read.success, { isOwn: true, state }), unrecordable)
  })

  /** Continues a command until it ends: the event after each decision gives the next command. */
  const follow = Effect.fnUntraced(function* (
    first: Command,
    ticket: WorldQuestions.Carried
  ): Effect.fn.Return<Outcome, RunError> {
    let decided = yield* writer.decide(() => first, ticket)
    while (decided.next._tag !== "End") {
      const { next } = decided
      if (!Interpreter.keepsOpen(next)) yield* OpenTransaction.abandon(ticket)
      const happened = Interpreter.isQuestion(next) ? yield* ask(next, ticket) : yield* due(next)
      const command = Interpreter.next(decided, happened)
      // A reversal is an action of its own; its outcome is the outcome of the whole plan.
      if (next._tag === "Compensate" || next._tag === "Complete") {
        return yield* begin(command, next._tag === "Compensate" ? "undo" : "forward")
      }
      decided = yield* writer.decide((now) => named(command, now), ticket)
      if (decided.flush === "soon") yield* FaultPoint.at("settle/staged")
      else if (command._tag === "ReadBack") yield* FaultPoint.at("settle/committed")
    }
    if (Interpreter.isOvertaken(first, decided.next)) {
      const isUndo = first._tag === "Compensate"
      const isOpen = isUndo ? isUndoing(writer.standing().state) : (yield* remaining).length > 0
      if (isOpen) return yield* begin(first, isUndo ? "undo" : "forward")
    }
    const outcome = yield* settledOutcome({ run, transitions, settledAt }, decided.next.outcome)
    // A failure that came while a revision was being undone is undone after it, and changes nothing of its outcome.
    const isQueued = first._tag === "Compensate" && UndoPlan.wanted(writer.standing().state) !== undefined
    if (isQueued && outcome._tag === "Done") yield* begin(first, "undo")
    return outcome
  })

  /** Waits until a decision is due. Known facts must survive the wait. */
  const due = Effect.fnUntraced(function* (next: NextQuestion): Effect.fn.Return<Interpreter.Happened, RunError> {
    if (next._tag === "Wait" || next._tag === "Await") yield* writer.flush
    const { untilMillis = 0 } = "untilMillis" in next ? next : {}
    yield* Pause.millis(Math.max(0, untilMillis - (yield* writer.now)))
    return { _tag: "Due" }
  })

  /** An action whose values are gone is neither begun again nor asked about. The caller is told before. */
  const unresolvable = Effect.fnUntraced(function* ({ data }: Proposal) {
    const { action = "", as } = Payload.of({ data, type: "review.decided" }, "review.decided") ?? {}
    if (as !== "resent" && as !== "reopened") return undefined
    const { state } = writer.standing()
    const open = Object.entries(OpenActions.of(state)).filter(([id, each]) => id === action || each?.undoes === action)
    for (const [id, each] of open) {
      const own = RecordedRequest.of(yield* transitions(each?.tick ?? 1), id)
      if (own === undefined) continue
      const asked = edge.request(yield* packNow, { ...own, deadlineMillis: 0 })
      const gone = yield* Effect.as(asked, undefined).pipe(
        Effect.catchTag("SealedValueGone", (error) => Effect.succeed(error))
      )
      if (gone === undefined) continue
      return Check.fail("approval", action, "values.gone", { tool: own.tool, values: gone.commitments.length })
    }
    return undefined
  })

  const sources = new Set<string>()

  /** Refuses to carry a call over from a run of another secret: what came of it there would not be recognised. */
  const recognised = Effect.fnUntraced(function* (id: string) {
    if (sources.has(id) || RunSecret.isExempt(options.secret, executor)) return
    yield* Effect.provideContext(RunSecret.checkSource(run, id, options.secret), around)
    sources.add(id)
  })

  const remaining = Effect.suspend(() => {
    const { head, state } = writer.at()
    return library.folding(() => ForwardRecovery.remaining(library.packAt(state, head.tick), state))
  })

  /** Carries an action on from its first command, inside its spans if a tracer is installed. */
  const act = (
    ticket: WorldQuestions.Carried,
    about: { readonly tool: string | undefined; readonly tick: number },
    first: Command
  ) =>
    ActionSpans.around(
      ticket,
      {
        ...about,
        run,
        pack: Effect.suspend(() => library.inForce(writer.at().state, writer.at().head.tick)),
        read: Effect.suspend(() => transitions(about.tick))
      },
      Effect.ensuring(Effect.tap(follow(first, ticket), derived.note), OpenTransaction.abandon(ticket))
    )

  const begin = (command: Command, tool?: string) =>
    Effect.suspend(() => act({ action: "" }, { tool, tick: writer.at().head.tick + 1 }, command))

  const settle = Effect.fnUntraced(function* (action: string) {
    const open = OpenActions.of(writer.standing().state)[action]
    if (open === undefined) return undefined
    return yield* act({ action }, { tool: open.tool, tick: open.tick }, { _tag: "Recover", action })
  })

  const answer = Effect.fnUntraced(function* ({ action, askedAt, evidence }: LateAnswer) {
    const own = yield* recorded(action)
    if (own === undefined) return undefined
    const pack = yield* packNow
    const open = yield* edge.request(pack, { ...own, deadlineMillis: 0 })
    const sealed = yield* edge.evidence(pack, open, evidence)
    const about = { tool: own.tool, tick: writer.at().head.tick + 1 }
    return yield* act({ action }, about, { _tag: "Answered", action, askedAt, evidence: sealed, via: "call" })
  })

  const handle: RunHandle = {
    run,
    position: Effect.map(Effect.ignore(writer.settled), () => {
      const position = writer.at()
      freeze(position.state)
      return position
    }),
    standing: Effect.sync(() => {
      const standing = writer.standing()
      freeze(standing.state)
      return standing
    }),
    transitions,
    catchUp: writer.catchUp,
    packDigest: Effect.sync(() => PackInForce.of(writer.at().state).pack),
    annotate: (type, data) => begin({ _tag: "Annotate", type, data } as Annotation),
    seal,
    propose: Effect.fnUntraced(function* (given) {
      const sealed = yield* seal(given)
      if (Result.isFailure(sealed)) return refused(sealed.failure)
      const { success: proposal } = sealed
      const gone = Resolution.isResolution(proposal) ? yield* unresolvable(proposal) : undefined
      if (gone !== undefined) return refused(gone)
      const command = Resolution.isResolution(proposal) ? "Resolve" : "Propose"
      return yield* begin({ _tag: command, proposal }, proposal.tool)
    }),
    importIntent: Effect.fnUntraced(function* (imported) {
      const { state } = writer.standing()
      const pack = yield* packNow
      const sealed = yield* edge.proposal(pack, imported.proposal, { isOwn: false, state })
      if (Result.isFailure(sealed)) return refused(unrecordable(sealed.failure))
      const { success: proposal } = sealed
      const contract = proposal.tool === undefined ? undefined : TaskPack.tool(pack, proposal.tool)
      if (contract !== undefined && ToolContract.isMutating(contract)) yield* recognised(imported.origin.source.run)
      return yield* begin({ _tag: "Import", ...imported, proposal }, proposal.tool)
    }),
    reveal: (view) => Effect.flatMap(packNow, (pack) => Revealing.shown(sealing, { pack, run, view })),
    resume: Effect.gen(function* () {
      const outcomes: Array<Outcome> = []
      const known = toSettle(writer.at().state)
      yield* writer.catchUp
      const { state } = writer.at()
      for (const action of toSettle(state)) {
        const settled = yield* settle(action)
        if (settled !== undefined) outcomes.push(settled)
      }
      // The record answers for those that another process, or a person, has settled meanwhile.
      for (const action of known) {
        if (OpenActions.of(state)[action] === undefined) outcomes.push(yield* begin({ _tag: "Recover", action }))
      }
      if (isUndoing(writer.at().state)) outcomes.push(yield* begin({ _tag: "Compensate" }, "undo"))
      else if (ForwardRecovery.isUnderWay(yield* remaining))
        outcomes.push(yield* begin({ _tag: "Complete" }, "forward"))
      return outcomes
    }),
    settle,
    answer,
    deliver: (delivery) => begin({ _tag: "Deliver", ...delivery }, delivery.tool),
    complete: Effect.flatMap(remaining, ({ length }) =>
      length === 0 ? Effect.succeed(undefined) : begin({ _tag: "Complete" }, "forward")
    ),
    undo: ({ because, ...wanted }) =>
      begin({ _tag: "Undo", wanted: { ...wanted, because: Finding.make("cause.asked", { reason: because }) } }),
    subtasks: Effect.andThen(writer.flush, subtasks.follow),
    alarms: derived.alarms,
    judging: Effect.provideService(Effect.andThen(writer.flush, judging), PackLibrary.PackLibrary, library),
    absorb: (command) => begin(command, "undo"),
    rollBack: ({ because, ...wanted }, rollback) => {
      const why = typeof because === "string" ? Finding.make("cause.asked", { reason: because }) : because
      return begin({ _tag: "Undo", wanted: { ...wanted, because: why, cause: "recovery" }, rollback }, "undo")
    },
    start: (opening) =>
      begin({
        _tag: "Start",
        ...opening,
        fold: history.fold.version,
        namespaces: Vocabulary.pins(options.kernel.vocabularies ?? []),
        rules: options.kernel.rules.version
      }),
    flush: derived.flush,
    commit: writer.commit
  }
  return handle
})
