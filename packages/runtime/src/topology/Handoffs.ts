/**
 * Handoffs between agents of one run: a durable queue of orders and results that is nothing but the trace.
 *
 * An order, a report and its collection are committed facts with a command of their own, so each counts once, whoever
 * commits it and however often. A new boss reads from the trace what the dead one had ordered and what was handed in.
 * There is no second store.
 *
 * **Gotchas**
 *
 * A worker may still be at work when its task is ordered once more. What it does in the world has to have a key, which
 * a contract gives it, so that the second worker takes the act over.
 *
 * @source Crash Recovery, orchestrator crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type * as Memo from "@backstitch/topology/Memo"
import * as Nearness from "@backstitch/topology/Nearness"
import * as Orchestrator from "@backstitch/topology/Orchestrator"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import { shortened } from "../ports/evidenceSize.ts"
import { toTraceJson } from "../ports/traceJson.ts"
import * as AlarmHold from "../run/AlarmHold.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import { type By, commit as commitMemo } from "./committedMemo.ts"
import * as FollowedEvents from "./followedEvents.ts"
import * as LossReason from "./lossReason.ts"

/**
 * A task for a worker. `brief` says what is to be done, and `misfit` why a result is no report: by default, any value
 * is one.
 */
export interface Order {
  readonly task: string
  readonly worker: string
  readonly brief: string
  readonly misfit?: LossReason.Misfit | undefined
}

/** The refusal of a memo by the kernel, or by an alarm that holds the run. It is no loss: it would come again. */
export interface RefusedMemo {
  readonly _tag: "Refused"
  readonly outcome: Outcome
}

/** A handoff that is lost, because its worker has failed or its result is no report: the signal, and the reason. */
export interface LostHandoff {
  readonly _tag: "Lost"
  readonly signal: "echoed_brief" | "malformed_report" | "worker_failed"
  readonly reason: string
}

/** The end of a handoff: taken with this call or before, lost, or refused by the kernel. */
export type Handed = { readonly _tag: "Taken" } | LostHandoff | RefusedMemo

/** The end of an order: made, not made because the task has a result, or refused by the kernel. */
export type Ordered = { readonly _tag: "Ordered" } | { readonly _tag: "HandedIn" } | RefusedMemo

/** The end of a collection: the result, none so far, or the kernel's refusal. */
export type Collected = { readonly _tag: "Taken"; readonly result: Json } | { readonly _tag: "Open" } | RefusedMemo

/** Handoffs of one run. */
export interface Handoffs {
  /** The dispatch state as it is now, with what other processes have committed. */
  readonly standing: Effect.Effect<Orchestrator.Orchestrator, RunHandle.RunError>
  /** The tick at which a person was last asked, or has last written; 0 if nobody was. */
  readonly askedAt: Effect.Effect<number, RunHandle.RunError>
  /** Orders a task, or orders it once more if it is open. A task that has a result is not ordered again. */
  readonly dispatch: (order: Order, boss: string) => Effect.Effect<Ordered, RunHandle.RunError>
  /**
   * Hands a result in. The first report of a task counts. A result that is none is on record too, so that its loss is.
   */
  readonly report: (order: Order, result: unknown) => Effect.Effect<Handed, RunHandle.RunError>
  /** Puts on record that a worker has ended with an error, and no result. */
  readonly fail: (order: Order, reason: string) => Effect.Effect<Handed, RunHandle.RunError>
  /** The results that count, by task: the first one of each that is a report. */
  readonly results: Effect.Effect<ReadonlyMap<string, Json>, RunHandle.RunError>
  /** Takes a result over. Answers it however often it is asked for. */
  readonly collect: (task: string, boss: string) => Effect.Effect<Collected, RunHandle.RunError>
}

/** The dispatch state, results by task, and the tick at which a person was last asked, or has last written. */
interface Queue {
  readonly askedAt: number
  readonly state: Orchestrator.Orchestrator
  readonly results: Map<string, Json>
}

/** The handoffs of an open run, under the topology that is declared. */
export const make = (handle: RunHandle.RunHandle, declared: Topology.Topology): Handoffs => {
  const follow = FollowedEvents.make<Queue>(handle, {
    init: () => ({ askedAt: 0, state: Orchestrator.shape.init, results: new Map() }),
    asked: (self, askedAt) => ({ ...self, askedAt }),
    step: ({ askedAt, results, state: before }, event) => {
      const { state } = Orchestrator.shape.step(before, event, declared)
      const memo = event._tag === "Noted" ? event.memo : undefined
      if (memo?.memo === "report") {
        const task = Object.hasOwn(state.tasks, memo.task) ? state.tasks[memo.task] : undefined
        if (task?.handedIn?.tick === event.tick) results.set(memo.task, memo.result as Json)
      }
      return { askedAt, results, state }
    }
  })

  const commit = (
    memo: Memo.Memo | Memo.Unfit,
    by: By
  ): Effect.Effect<{ readonly _tag: "Taken" } | RefusedMemo, RunHandle.RunError> =>
    Effect.map(commitMemo(handle, memo, by), (outcome) =>
      outcome === undefined ? { _tag: "Taken" } : { _tag: "Refused", outcome }
    )

  /** The command of a loss, by its try, so that a later report of the task counts. */
  const lossCommand = (signal: LostHandoff["signal"], task: string) =>
    Effect.map(follow, ({ state: { tasks } }) => {
      const tries = Object.hasOwn(tasks, task) ? (tasks[task]?.tries ?? 0) : 0
      return `${signal} ${task}, try ${tries}`
    })

  return {
    standing: Effect.map(follow, ({ state }) => state),
    askedAt: Effect.map(follow, ({ askedAt }) => askedAt),
    dispatch: Effect.fnUntraced(function* ({ brief, task, worker }, boss) {
      const { collected, tasks } = (yield* follow).state
      const known = Object.hasOwn(tasks, task) ? tasks[task] : undefined
      if (Object.hasOwn(collected, task) || known?.handedIn !== undefined) return { _tag: "HandedIn" }
      // With `on_alarm: hold`, nothing more is ordered before a person has written to the run.
      const held = declared.holds === true ? yield* AlarmHold.unheard(handle) : undefined
      if (held !== undefined) return { _tag: "Refused", outcome: held }
      const command = `order ${task}, try ${(known?.tries ?? 0) + 1}`
      const handed = yield* commit({ memo: "dispatch", task, worker, brief }, { agent: boss, command })
      return handed._tag === "Taken" ? { _tag: "Ordered" } : handed
    }),
    report: Effect.fnUntraced(function* (order, given) {
      const { task, worker } = order
      const result = recordable(given)
      const lost = lossOf(order, result)
      const unfit: Memo.Unfit = { memo: "report", task, ...(result === undefined ? {} : { unfit: result }) }
      const isReport = result !== undefined && lost?.signal !== "malformed_report"
      const fits = lost === undefined ? { fits: true } : {}
      const command = lost === undefined ? `report ${task}` : yield* lossCommand(lost.signal, task)
      const memo = isReport ? { memo: "report" as const, task, result, ...fits } : unfit
      const handed = yield* commit(memo, { agent: worker, command })
      return handed._tag === "Taken" && lost !== undefined ? lost : handed
    }),
    fail: Effect.fnUntraced(function* ({ task, worker }, whole) {
      const lost: LostHandoff = { _tag: "Lost", signal: "worker_failed", reason: shortened(whole) }
      const command = yield* lossCommand(lost.signal, task)
      const handed = yield* commit({ memo: "failure", task, reason: lost.reason }, { agent: worker, command })
      return handed._tag === "Taken" ? lost : handed
    }),
    results: Effect.map(follow, ({ results }) => results),
    collect: Effect.fnUntraced(function* (task, boss) {
      const { results, state } = yield* follow
      const { collected, tasks } = state
      if (!Object.hasOwn(collected, task)) {
        if (!Object.hasOwn(tasks, task) || tasks[task]?.handedIn === undefined) return { _tag: "Open" }
        const handed = yield* commit({ memo: "collect", task }, { agent: boss, command: `collect ${task}` })
        if (handed._tag === "Refused") return handed
      }
      return { _tag: "Taken", result: results.get(task) ?? null }
    })
  }
}

/** The loss of a result that is no report of its order; `undefined` if it is one. */
const lossOf = ({ brief, misfit }: Order, result: Json | undefined): LostHandoff | undefined => {
  const reason = result === undefined ? LossReason.nothing : misfit?.(result)
  if (reason !== undefined) return { _tag: "Lost", signal: "malformed_report", reason }
  return result !== undefined && Orchestrator.isEcho(Nearness.words(brief), result) && Nearness.saysAgain(brief, result)
    ? { _tag: "Lost", signal: "echoed_brief", reason: "it answered its brief" }
    : undefined
}

/** The result as a trace carries it; `undefined` if there is none, or no trace can carry it. */
const recordable = (result: unknown): Json | undefined => {
  if (result === undefined || typeof result === "function") return undefined
  try {
    return toTraceJson(result)
  } catch {
    return undefined
  }
}
