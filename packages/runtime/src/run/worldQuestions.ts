/**
 * Questions of an open run to the world: calls, questions about a status, and reads.
 *
 * The sealed values of a request are opened for its tool alone, and the answer is sealed before anything is decided on
 * it. A recorded world that has no answer is noted once for each action, as an anomaly.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Original } from "@backstitch/kernel/Decision"
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as Anomalies from "@backstitch/reducer/Anomalies"
import type * as Fold from "@backstitch/reducer/Fold"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as OpenTransaction from "../engine/openTransaction.ts"
import type * as SealingEdge from "../engine/sealingEdge.ts"
import type * as Writer from "../engine/writer.ts"
import type * as History from "../history/History.ts"
import * as FaultPoint from "../ports/FaultPoint.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as ActionSpans from "../telemetry/ActionSpans.ts"

/** An action that is carried out: its ticket, and its open transaction. */
export interface Carried extends Writer.Ticket, OpenTransaction.Holder {}

type EdgeError = SealingEdge.EdgeError | History.HistoryError

/** The parts of an open run that ask and answer. */
export interface Options {
  readonly edge: ReturnType<typeof SealingEdge.make>
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  /** The pack under which the next tick is decided. */
  readonly packNow: Effect.Effect<TaskPack.TaskPack | undefined, Fold.SourceMissing | TraceStore.TraceStoreError>
  /** Transitions from a tick on, including those that are not yet durable. */
  readonly transitions: (from: number) => Effect.Effect<ReadonlyArray<Transition>, History.HistoryError>
  readonly writer: Writer.Writer<EdgeError>
}

/** A request whose sealed values are open for its tool, and the pack that says so. */
interface Prepared {
  readonly pack: TaskPack.TaskPack | undefined
  readonly open: SealingEdge.OpenedRequest
}

/** Makes the questions of a run. */
export const make = ({ edge, executor, packNow, transitions, writer }: Options) => {
  const unrecorded = new Set<string>()

  /** Opens the sealed values of a request. This may take its time, so it comes before a call is begun. */
  const prepared = Effect.fnUntraced(function* (request: ToolExecutor.ToolRequest) {
    const pack = yield* packNow
    return { pack, open: yield* edge.request(pack, request) }
  })

  const evidence = (request: ToolExecutor.ToolRequest, kind: "status" | "readback") =>
    Effect.flatMap(prepared(request), (ready) => answered(ready, executor[kind](ready.open.request)))

  /** Seals an answer, once it has come. */
  const answered = Effect.fnUntraced(function* ({ open, pack }: Prepared, asks: Effect.Effect<Evidence>) {
    const { request } = open
    const answer: Evidence = yield* edge.evidence(pack, open, yield* asks)
    const isMissing = answer._tag === "Unknown" && ToolExecutor.isNotRecorded(answer)
    if (executor.mode === "recorded" && isMissing && !unrecorded.has(request.action)) {
      unrecorded.add(request.action)
      const missing = "replay.missing_output" satisfies Anomalies.AnomalyKind
      const { action, tool } = request
      const data = { kind: missing, tool } as const
      yield* writer.decide(() => ({ _tag: "Annotate", type: "kernel.anomaly", about: action, data }), { action: "" })
    }
    return answer
  })

  /** Calls a tool in a transaction that stays open. */
  const opens = Effect.fnUntraced(function* ({
    open,
    pack
  }: Prepared): Effect.fn.Return<OpenTransaction.Opened, EdgeError> {
    if (executor.open === undefined) {
      return { answer: { _tag: "Error", error: Finding.make("answer.no_transactions", {}) }, transaction: undefined }
    }
    const { answer, transaction } = yield* executor.open(open.request)
    const sealed = (evidence: Evidence) => edge.evidence(pack, open, evidence)
    const read = transaction && Effect.flatMap(transaction.read, sealed)
    return { answer: yield* sealed(answer), transaction: transaction && { ...transaction, read: read! } }
  })

  /** The request of an action, as the trace has it. */
  const recorded = Effect.fnUntraced(function* (action: string) {
    const { state } = writer.standing()
    const from = SettledActions.known(state, action)?.requested ?? 1
    return RecordedRequest.of(yield* transitions(from), action)
  })

  /** Asks or reads about an action once more, with the request in the trace. */
  const lookAt = Effect.fnUntraced(function* (original: Original, { tracing }: Carried) {
    const { action, deadlineMillis, source, via } = original
    const own = yield* recorded(action)
    if (own === undefined) return yield* Effect.die(new Error(`nothing was asked as ${action}`))
    yield* FaultPoint.at("original/before")
    const askedAt = yield* writer.now
    const asked = evidence({ ...own, deadlineMillis, source, again: true }, via)
    const answer = yield* ActionSpans.step(tracing, "recovery", asked)
    yield* FaultPoint.at("original/answered")
    return { _tag: "Told", own, evidence: answer, askedAt } as const
  })

  /** Puts a question to the world, unless the time to send it is over. */
  const ask = Effect.fnUntraced(function* (question: Interpreter.WorldQuestion, ticket: Carried) {
    switch (question._tag) {
      case "Call":
      case "Open": {
        const { request } = question
        yield* writer.beforeCall(request.tool)
        const { open, pack } = yield* prepared(request)
        yield* FaultPoint.at("effect/before")
        // The time of a run never goes back, and a tool looks at the clock of the machine, which may. That is read
        // first: if it leaps in between, the request is late.
        const shown = yield* Clock.currentTimeMillis
        const askedAt = yield* writer.now
        if (Interpreter.isLate(request, askedAt)) return { _tag: "Unsent" } satisfies Interpreter.Happened
        const sendBefore = shown + (request.sendBefore - askedAt)
        const ready: Prepared = { pack, open: { ...open, request: { ...open.request, sendBefore } } }
        const sends =
          question._tag === "Call"
            ? answered(ready, executor.call(ready.open.request))
            : OpenTransaction.open(ticket, opens(ready))
        const answer = yield* ActionSpans.step(ticket.tracing, "execution", sends)
        yield* FaultPoint.at("effect/answered")
        return {
          _tag: "Told",
          evidence: answer,
          askedAt,
          latencyMillis: (yield* writer.now) - askedAt
        } satisfies Interpreter.Happened
      }
      case "Ask": {
        yield* FaultPoint.at("status/before")
        const askedAt = yield* writer.now
        const answer = yield* ActionSpans.step(ticket.tracing, "recovery", evidence(question.request, "status"))
        yield* FaultPoint.at("status/answered")
        return { _tag: "Told", evidence: answer, askedAt } satisfies Interpreter.Happened
      }
      case "ReadInside": {
        yield* FaultPoint.at("inside/before")
        const answer = yield* ActionSpans.step(ticket.tracing, "verification", OpenTransaction.read(ticket))
        yield* FaultPoint.at("inside/answered")
        return { _tag: "Told", evidence: answer } satisfies Interpreter.Happened
      }
      case "ReadBefore": {
        yield* FaultPoint.at("readback/before")
        const answer = yield* ActionSpans.step(ticket.tracing, "wrapper", evidence(question.request, "readback"))
        yield* FaultPoint.at("readback/answered")
        return { _tag: "Told", evidence: answer } satisfies Interpreter.Happened
      }
      case "ReadOriginal":
        return yield* lookAt(question.original, ticket)
      case "Conclude":
      case "ReadBack": {
        const { request } = question
        const concluded =
          question._tag === "Conclude" ? yield* OpenTransaction.conclude(ticket, question, writer.now) : undefined
        yield* FaultPoint.at("readback/before")
        const askedAt = yield* writer.now
        const answer = yield* ActionSpans.step(ticket.tracing, "verification", evidence(request, "readback"))
        // Each source is asked, whatever the others answer.
        const others = yield* Effect.forEach(request.sources ?? [], (source) =>
          Effect.map(evidence({ ...request, source }, "readback"), (evidence) => ({ source, evidence }))
        )
        yield* FaultPoint.at("readback/answered")
        return { _tag: "Told", evidence: answer, others, concluded, askedAt } satisfies Interpreter.Happened
      }
    }
  })

  return { ask, recorded }
}
