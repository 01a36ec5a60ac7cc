/**
 * Runs an agent again while its tools answer from the record: re-execution with recorded effects.
 *
 * Only its proposals show whether it does the same: it is asked again wherever it had proposed, and decisions of
 * people, deliveries and acts of other runs are taken as recorded. An agent that does something else is run from the
 * beginning, to show what it does now. An answer is found by tool and arguments, in recorded order, not by position.
 * A question without a recorded answer finds nothing, which is committed as a `kernel.anomaly`. The world is never
 * called.
 *
 * @source Dendrer, sections 3.4, 3.5 and appendix E.1
 */

import * as Goal from "@backstitch/kernel/Goal"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Payload from "@backstitch/kernel/Payload"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Agent from "@backstitch/runtime/Agent"
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ProposalReplay from "@backstitch/runtime/ProposalReplay"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as RecordedEvidence from "@backstitch/runtime/RecordedEvidence"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { withoutWaiting } from "./simulation/instantClock.ts"

/** The requests and answers of one recorded action. */
export interface RecordedAction {
  readonly tool: string
  readonly params: Json
  /** Its answers in order: to a request, or to a status question. */
  readonly answers: ReadonlyArray<{ readonly via: "call" | "status"; readonly answer: ToolExecutor.ToolAnswer }>
  readonly readback: ToolExecutor.ToolAnswer | undefined
  /** The record before anything was sent, if it was read. */
  readonly before?: ToolExecutor.ToolAnswer | undefined
  /** The last read of its own record before it was undone. */
  readonly again?: ToolExecutor.ToolAnswer | undefined
  /** The record inside its open local transaction. */
  readonly inside?: ToolExecutor.ToolAnswer | undefined
  /** `true` if its store reported the end of that transaction. */
  readonly isConcluded?: boolean | undefined
  /** The records of further sources. */
  readonly others: { readonly [source: string]: ToolExecutor.ToolAnswer }
}

/** Reads the answers of a run's tools, in order. */
export const of = (transitions: ReadonlyArray<Transition>): ReadonlyArray<RecordedAction> => {
  const actions = new Map<string, RecordedAction>()
  for (const { body } of transitions) {
    const id = body.action?.id
    if (id === undefined) continue
    if (body.type === "action.request") {
      const { params = null, tool = "" } = body.action!
      actions.set(id, { tool, params, answers: [], readback: undefined, others: {} })
    }
    const known = actions.get(id)
    if (known === undefined || body.result === undefined) continue
    if (body.type === "action.result") {
      const via = body.result.basis === "status" ? "status" : "call"
      actions.set(id, {
        ...known,
        answers: [...known.answers, { via, answer: RecordedEvidence.answered(body) ?? answerOf(body.result) }]
      })
    }
    const reading = Payload.of(body, "action.verified")
    if (reading?.undoing !== undefined) {
      actions.set(id, { ...known, again: RecordedEvidence.read(body) })
    } else if (reading?.before !== undefined) {
      actions.set(id, { ...known, before: known.before ?? RecordedEvidence.read(body) })
    } else if (reading?.verdict !== undefined) {
      actions.set(id, { ...known, inside: RecordedEvidence.read(body) })
    } else if (body.type === "action.verified") {
      const others = Object.fromEntries(RecordedEvidence.others(body).map(({ evidence, source }) => [source, evidence]))
      const isConcluded = reading?.concluded !== undefined
      actions.set(id, { ...known, readback: RecordedEvidence.read(body) ?? answerOf(body.result), others, isConcluded })
    }
  }
  return [...actions.values()]
}

/** Makes an executor that answers from a record. Each recorded action answers for one action. */
export const executor = (record: ReadonlyArray<RecordedAction>): ToolExecutor.ToolExecutor["Service"] => {
  const waiting = Map.groupBy(record, (recorded) => keyOf(recorded))
  const taken = new Map<string, RecordedAction | undefined>()
  const looked = new Set<string>()
  const find = (request: ToolExecutor.ToolRequest): RecordedAction | undefined => {
    if (!taken.has(request.action)) taken.set(request.action, waiting.get(keyOf(request))?.shift())
    return taken.get(request.action)
  }
  const missing: ToolExecutor.ToolAnswer = ToolExecutor.notRecorded
  const told = new Map<string, number>()
  // The last answer is repeated.
  const answer = (request: ToolExecutor.ToolRequest, via: "call" | "status"): ToolExecutor.ToolAnswer => {
    const answers = find(request)?.answers ?? []
    const known = told.get(request.action) ?? 0
    const at = Math.min(known, answers.length - 1)
    const next = answers[at]
    if (next === undefined) return missing
    // A question without an answer left no trace: the request was sent again after it.
    if (via === "status" && next.via === "call" && known > 0 && known === at) return { _tag: "NotFound" }
    // A request that was accepted and never settled has no answer to a question.
    if (via === "status" && next.answer._tag === "Accepted") return missing
    told.set(request.action, at + 1)
    return next.answer
  }
  return {
    mode: "recorded",
    call: (request) => Effect.sync(() => answer(request, "call")),
    status: (request) =>
      Effect.sync(() => (request.again === true ? (find(request)?.again ?? missing) : answer(request, "status"))),
    readback: (request) =>
      Effect.sync(() => {
        const recorded = find(request)
        if (request.again === true) return recorded?.again ?? missing
        if (recorded?.before !== undefined && !looked.has(request.action)) {
          looked.add(request.action)
          return recorded.before
        }
        return (request.source === undefined ? recorded?.readback : recorded?.others[request.source]) ?? missing
      }),
    // The verdict inside the transaction is decided again, and concluded without a store.
    open: (request) =>
      Effect.sync(() => {
        const { inside, isConcluded } = find(request) ?? {}
        const concluded: ToolExecutor.ToolAnswer = isConcluded === true ? { _tag: "Ok", output: null } : missing
        const transaction = { read: Effect.succeed(inside ?? missing), conclude: () => Effect.succeed(concluded) }
        return { answer: answer(request, "call"), transaction }
      })
  }
}

/**
 * The result of running again. `partedAt` is the first tick at which the agent proposed something else. `null` means
 * that it proposed the same; then it did what was recorded, and `replayed` is the receipt.
 */
export interface Replayed {
  readonly run: string
  readonly mode: "recorded"
  readonly same: boolean
  readonly partedAt: number | null
  readonly recorded: { readonly ticks: number }
  readonly replayed: Receipt.Receipt
}

/** Error for a run that cannot be run again from its beginning. */
export class NotReplayable extends Schema.TaggedError<NotReplayable>("@backstitch/release/NotReplayable")(
  "NotReplayable",
  { run: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `Run ${this.run} cannot be run again from the record: ${this.reason}`
  }
}

/**
 * Runs an agent again from the beginning of a recorded run.
 *
 * **Details**
 *
 * Without `as`, the new run is kept in memory and dropped: names that the recorded run holds are free there. With
 * `as`, it is always run from the beginning, and waits for people when they are asked.
 */
export const replay = Effect.fn("RecordedReplay.replay")(function* (
  run: Run,
  file: AgentFile.AgentFile,
  options: { readonly as?: Run | undefined; readonly secret: string }
) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, parent } = yield* history.info(run)
  if (parent !== undefined) {
    return yield* new NotReplayable({ run: run.id, reason: `it is a fork. Replay ${parent.id}, and fork it again` })
  }
  const transitions = yield* history.transitions(run)
  const began = transitions[0]?.body
  const { state } = yield* history.at(run, 1)
  const pinned = PackInForce.of(state).pack
  const { clauses, text } = Goal.of(state)
  const opening: Coordinator.Opening = {
    pack: pinned === "" ? undefined : yield* library.pack(pinned),
    goal: began?.goal ?? "",
    text,
    clauses,
    initial: { world: state.world, working: state.working }
  }
  const partedAt = yield* ProposalReplay.partedAt(run, { planner: file.planner, secret: options.secret })
  const replayedAs = (receipt: Receipt.Receipt): Replayed => ({
    run: run.id,
    mode: "recorded",
    same: partedAt === null,
    partedAt,
    recorded: { ticks: head.tick },
    replayed: receipt
  })
  if (partedAt === null && options.as === undefined) return replayedAs(yield* Receipt.make(run, undefined))
  const target = options.as ?? run
  const again = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.begin(target, opening)
    const outcome = yield* withoutWaiting(Agent.run(handle))
    return replayedAs(yield* Receipt.make(target, outcome))
  })
  const acting = Coordinator.layer({ secret: options.secret }).pipe(
    Layer.provideMerge(Layer.succeed(ToolExecutor.ToolExecutor, executor(of(transitions)))),
    Layer.provideMerge(file.planner)
  )
  if (options.as !== undefined) return yield* again.pipe(Effect.scoped, Effect.provide(acting))
  const apart = History.layer(Kernel.standard).pipe(
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  return yield* again.pipe(Effect.scoped, Effect.provide(Layer.provideMerge(acting, apart), { local: true }))
})

/** An answer to a call, or to a status question. */
const answerOf = (result: NonNullable<Transition["body"]["result"]>): ToolExecutor.ToolAnswer => {
  const { output = null, status } = result
  switch (status) {
    case "ok":
    case "mismatch":
      return { _tag: "Ok", output }
    case "error":
      return { _tag: "Error", error: output }
    case "unknown":
      return { _tag: "Unknown", reason: RecordedEvidence.reasonOf(output) }
  }
}

const keyOf = ({ params, tool }: { readonly tool: string; readonly params: Json }): string =>
  `${tool} ${Canonical.encode(params)}`
