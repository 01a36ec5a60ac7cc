/** Opens a run for this package. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as State from "@backstitch/reducer/State"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as Forking from "@backstitch/runtime/Forking"
import * as History from "@backstitch/runtime/History"
import * as Ledger from "@backstitch/runtime/Ledger"
import * as ProcessLease from "@backstitch/runtime/ProcessLease"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Author } from "@backstitch/trace/Ontology"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Briefing from "../adapter/Briefing.ts"
import { messagesOf } from "../adapter/messagesOf.ts"
import * as OpenHandle from "../adapter/openHandle.ts"
import * as CheckedInput from "../contract/checkedInput.ts"
import * as Packs from "../contract/packs.ts"
import type { StandardSchema } from "../contract/StandardSchema.ts"
import { BackstitchError, ofOutcome } from "../failures/Failures.ts"
import * as GivenArguments from "../failures/givenArguments.ts"
import type { Event, EventOptions } from "../run/Event.ts"
import type { ForkOptions, Opening, RecordOptions, Run, ToolOptions } from "../run/Run.ts"
import type * as Views from "../run/Views.ts"
import * as CompensationCode from "../session/compensationCode.ts"
import { using } from "../session/currentTools.ts"
import * as GuardedCall from "../session/guardedCall.ts"
import * as RepeatedName from "../session/repeatedName.ts"
import type { Session } from "../session/Session.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import * as KernelOutcomes from "../values/kernelOutcomes.ts"
import * as NextSteps from "../values/nextSteps.ts"
import type { Outcome } from "../values/Outcome.ts"
import type { Recorded } from "../values/Recorded.ts"
import * as PersonDecisions from "./personDecisions.ts"
import * as Reported from "./reported.ts"
import * as Revising from "./revising.ts"
import * as Searches from "./searches.ts"
import * as Usages from "./usages.ts"

/** A run that is asked for: its beginning, and the tools of its owner. */
export interface RunRequest {
  readonly id: string
  readonly opening: Opening
  readonly pack: TaskPack.TaskPack | undefined
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly schemas: Readonly<Record<string, StandardSchema>>
  readonly identitiesBefore: Readonly<Record<string, string>>
}

/** A run that is open: its handle, and the tools of its owner. */
interface Opened extends RunRequest {
  readonly session: Session
  readonly handle: RunHandle.RunHandle
}

/** Opens a run, or begins it, and settles what is open. */
export const open = async (session: Session, asked: RunRequest): Promise<Run> => {
  const { executor, id, opening, pack } = asked
  const { clauses, goal = id, text, wait = false } = opening
  const name = session.name(id)
  const scope = await session.run(Scope.make())
  const close = async (): Promise<void> => {
    if (!session.opened.delete(close)) return
    await session.run(Scope.close(scope, Exit.void))
  }
  session.opened.add(close)
  try {
    const { handle, recovered } = await session.run(
      Effect.gen(function* () {
        yield* ProcessLease.take(name, wait ? () => Effect.void : undefined)
        const handle = yield* session.runs.use(name, { pack, goal, text, clauses })
        const settled = yield* using(executor)(handle.resume)
        return { handle, recovered: yield* Effect.forEach(settled, (each) => KernelOutcomes.outcome(handle, each)) }
      }).pipe(Effect.provideService(Scope.Scope, scope))
    )
    return make({ ...asked, session, handle }, recovered, close)
  } catch (cause) {
    await close()
    throw cause
  }
}

const make = (at: Opened, recovered: ReadonlyArray<Outcome>, close: () => Promise<void>): Run => {
  const { handle, session } = at
  const { run } = handle
  const verbs: Run = {
    id: run.id,
    recovered,
    tool: (name, args, options) => call(at, name, (args ?? {}) as object as JsonObject, options ?? {}),
    record: (type, fact, options) => record(at, type, fact as object as JsonObject, options ?? {}),
    step: (name, work) => once(at, { name, work, type: "observation.add", as: "step" }),
    decide: (name, choose) => once(at, { name, work: choose, type: "plan.update", as: "decision" }),
    complete: () => complete(at),
    resume: () => session.run(using(at.executor)(resumed(handle))),
    events: (options) => events(at, options ?? {}),
    state: () => session.run(Effect.map(handle.position, ({ head, state }) => stateOf(head.tick, state))),
    messages: async (options) => messagesOf(await Briefing.briefingOf(open), options),
    report: ((asked) =>
      session.run(asked === undefined ? Reported.of(run) : Reported.withDraft(handle, asked.draft))) as Run["report"],
    ledger: () =>
      session.run(
        Effect.map(Ledger.of(run), (all) => all as ReadonlyArray<object> as ReadonlyArray<Views.LedgerEntry>)
      ),
    approve: (review, verdict) => PersonDecisions.decide(session, run.id, { ...verdict, review, verdict: "approved" }),
    deny: (review, verdict) => PersonDecisions.decide(session, run.id, { ...verdict, review, verdict: "denied" }),
    resolve: (action, settlement) => PersonDecisions.resolve(session, run.id, { ...settlement, action }),
    undo: (actions, asked) => session.run(using(at.executor)(undone(handle, [actions].flat(), asked))),
    inject: (revision) => session.run(using(at.executor)(Revising.inject(handle, revision))),
    plan: (revision) => session.run(Revising.preview(handle, revision)),
    bisect: (predicate) => session.run(Searches.bisect(run, predicate)),
    diff: (other) => session.run(Searches.diff(run, session.name(other))),
    fork: (options) => fork(at, options),
    verify: (options) => session.run(RunVerification.verify(run, { head: options?.head })),
    flush: () => session.run(handle.flush),
    close,
    [Symbol.asyncDispose]: close
  }
  const open = OpenHandle.given(GivenArguments.demanding(verbs, Usages.ofRun, run.id), { session, handle })
  return open
}

const call = async (at: Opened, tool: string, given: JsonObject, options: ToolOptions): Promise<Outcome> => {
  const { because, callId, occurrence, signal } = options
  const { params, problem } = await CheckedInput.of(at.schemas[tool], given)
  if (problem !== undefined) return CheckedInput.refused(at.id, problem)
  const proposal: Proposal = {
    tool,
    params,
    command: callId,
    description: because,
    ...GuardedCall.counted(occurrence)
  }
  const identityBefore = Object.hasOwn(at.identitiesBefore, tool) ? at.identitiesBefore[tool] : undefined
  const attempt = { handle: at.handle, executor: at.executor, proposal, identityBefore }
  return at.session.run(Effect.scoped(GuardedCall.settle(at.session, attempt)), signal)
}

const record = (at: Opened, type: string, data: JsonObject, options: RecordOptions): Promise<Outcome> => {
  const { author, because, callId, tokens } = options
  const proposal: Proposal = {
    type,
    data,
    author: author as Author | undefined,
    command: callId,
    description: because,
    tokens
  }
  return at.session.run(
    Effect.gen(function* () {
      yield* RepeatedName.refuse(at.handle, proposal)
      const found = yield* at.handle.propose(proposal)
      yield* RepeatedName.refuseAnswer(at.handle, proposal, found)
      return yield* KernelOutcomes.outcome(at.handle, found)
    })
  )
}

/** A goal that was declared reached before is not declared again. */
const complete = async (at: Opened): Promise<Outcome> => {
  const { state, tick } = await at.session.run(at.handle.standing)
  if (!Goal.isReached(state)) return record(at, "goal.complete", {}, {})
  const told = { status: "done", run: at.handle.run.id, tick, output: {}, why: "", next: [] } as const
  return { ...told, basis: "committed", verified: false, before: true }
}

/** Makes a fork and opens it, with the tools of this run. */
const fork = async (at: Opened, { as, from, pack: given, reason }: ForkOptions): Promise<Run> => {
  const { session } = at
  const child = as === undefined ? undefined : session.name(as)
  const pack = await Packs.load(given)
  const made = await session.run(Forking.fork({ parent: at.handle.run, at: from, child, pack, reason }))
  return open(session, { ...at, id: made.run.id, opening: {}, pack: undefined })
}

/**
 * Undoes acts and masks them for a model. An act that is under way is settled first. What a person asks for is a
 * revision of what they wanted.
 */
const undone = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  actions: ReadonlyArray<string>,
  // Programs without types leave it out.
  asked: { readonly reason: string } | undefined
) {
  const { run } = handle
  const reason = asked?.reason
  if (typeof reason !== "string") {
    const message = 'Say why the act is undone, for the record: run.undo(ACTION, { reason: "Ada comes alone" })'
    return yield* Effect.fail(new BackstitchError({ code: "reason_missing", message, run: run.id }))
  }
  const before = yield* handle.standing
  for (const action of actions.filter((each) => OpenActions.of(before.state)[each] !== undefined)) {
    const settled = yield* handle.settle(action)
    if (settled?._tag === "Held" || settled?._tag === "Parked") return yield* KernelOutcomes.outcome(handle, settled)
  }
  const { state } = yield* handle.standing
  const strange = actions.filter((action) => !SettledActions.of(state).has(action))
  if (strange.length > 0) {
    const message =
      `Run ${run.id} has done no act ${strange.join(", ")} that could be undone. Name acts that it has done, as ` +
      "outcomes and run.ledger() name them"
    const next = NextSteps.of([{ verb: "ledger" }], { run: run.id })
    return yield* Effect.fail(new BackstitchError({ code: "act_unknown", message, run: run.id, next }))
  }
  const acts = actions.flatMap((action) => SettledActions.of(state).get(action) ?? [])
  // Nothing is begun for an act that is undone, as a retry asks for one.
  const standing = acts.filter((act) => !EffectStatus.isGone(act))
  yield* CompensationCode.demand(
    handle,
    standing.flatMap(({ by = [] }) => by)
  )
  const found = yield* handle.undo({ actions, because: reason, cause: "revision", masks: actions })
  yield* handle.flush
  return yield* KernelOutcomes.outcome(handle, found)
})

const resumed = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  return yield* Effect.forEach(yield* handle.resume, (each) => KernelOutcomes.outcome(handle, each))
})

/** Work whose result is recorded once under a name. */
interface Named<A> {
  readonly name: string
  readonly work: () => A
  readonly type: "observation.add" | "plan.update"
  readonly as: "step" | "decision"
}

const once = async <A>(at: Opened, { as, name, type, work }: Named<A>): Promise<Recorded<Awaited<A>>> => {
  const command = `${as}:${name}`
  const known = await at.session.run(recordedBy(at.handle, command))
  if (known !== undefined) return known["result"] as Recorded<Awaited<A>>
  const result = (await work()) as Json | undefined
  const found = await record(at, type, { [as]: name, ...(result === undefined ? {} : { result }) }, { callId: command })
  if (found.status !== "done") throw ofOutcome(found, `the ${as} ${name}`)
  // The value as a resumed run will answer it, which is that of another process if it was faster.
  const kept = await at.session.run(recordedBy(at.handle, command))
  return kept?.["result"] as Recorded<Awaited<A>>
}

/** The fact that was recorded under a command. */
const recordedBy = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, command: string) {
  const done = HandledCommands.find((yield* handle.standing).state, command)
  if (done === undefined) return undefined
  const [found] = yield* handle.transitions(done.tick, done.tick)
  return (found?.body.data ?? {}) as JsonObject
})

const events = (at: Opened, options: EventOptions): AsyncIterable<Event> => {
  GivenArguments.demand(Usages.events, [options], at.handle.run.id)
  const { follow = true, from = 1, states = false } = options
  const { run } = at.handle
  const fields = FlatEvent.fields.filter((name) => states || !name.startsWith("state_") || name === "state_digest")
  const found = Effect.gen(function* () {
    const history = yield* History.History
    const { head } = yield* history.info(run)
    const all = Stream.map(
      StepFeed.steps({ run, from }),
      ({ head, run, step }) => FlatEvent.of(run, step, head, fields) as Event
    )
    const wanted = follow ? all : from > head.tick ? Stream.empty : Stream.take(all, head.tick - from + 1)
    const untilClosed = Stream.interruptWhen(
      wanted,
      Effect.promise(() => at.session.ended)
    )
    return yield* Stream.toAsyncIterableEffect(untilClosed)
  })
  return {
    async *[Symbol.asyncIterator]() {
      yield* await at.session.run(found)
    }
  }
}

const stateOf = (tick: number, state: State.State) => {
  const { working, world } = State.toJson(state) as { readonly world: JsonObject; readonly working: JsonObject }
  return { tick, world, working }
}
