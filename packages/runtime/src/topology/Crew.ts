/**
 * A crew: one boss and its workers as fibers of one process, over the handoffs of one run.
 *
 * The boss orders tasks, collects results, and goes on after a crash of the process from what is on record. A worker
 * that ends without a report, is killed, or is silent past its time has lost its handoff: its task is ordered once
 * more. After a second loss a person is asked, and nothing is ordered a third time. All topologies of several agents
 * work through crews.
 *
 * @source Crash Recovery, orchestrator crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Orchestrator from "@backstitch/topology/Orchestrator"
import type { Json } from "@backstitch/trace/Canonical"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Handoffs from "./Handoffs.ts"
import * as LossReason from "./lossReason.ts"
import * as WaitNotes from "./waitNotes.ts"

/** An order with the work that carries it out. Errors of the work lose its handoff, except {@link Waiting}. */
export interface WorkOrder<R = never> extends Handoffs.Order {
  readonly work: Effect.Effect<unknown, unknown, R>
}

/**
 * The error of work that cannot go on before a person or the world has answered, or because the steps of the topology
 * are used up: no handoff is lost by it.
 */
export interface Waiting {
  readonly _tag: "Waiting"
  readonly outcome: Outcome
}

/**
 * The end of a crew's work: the results by task; the tasks about which a person is asked, with the last error of each;
 * or the outcome for which it waits, or that forbids it to go on.
 */
export type CrewEnd =
  | { readonly _tag: "Done"; readonly results: { readonly [task: string]: Json } }
  | {
      readonly _tag: "Asked"
      readonly tasks: ReadonlyArray<string>
      readonly errors: { readonly [task: string]: string }
    }
  | { readonly _tag: "Stopped"; readonly outcome: Outcome }

/** A crew at work. */
export interface Crew {
  /**
   * Works until every order has a collected result, a person has to be asked, or an outcome forbids to go on. Other
   * orders may be fulfilled at the same time.
   */
  readonly fulfil: <R>(orders: ReadonlyArray<WorkOrder<R>>) => Effect.Effect<CrewEnd, RunHandle.RunError, R>
  /** The results that count, by task, whoever has ordered it. */
  readonly results: Handoffs.Handoffs["results"]
  /** Kills the worker that has a task, and no other; answers whether there was one. */
  readonly kill: (task: string) => Effect.Effect<boolean>
}

/** The last end of a worker without a report: its error, or the outcome for which it waits. */
type Loss =
  | { readonly _tag: "Lost"; readonly error: string | undefined }
  | { readonly _tag: "Stopped"; readonly outcome: Outcome }

/** Makes a crew on an open run. Its workers end with the scope. */
export const make = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  { boss, declared }: { readonly boss: string; readonly declared: Topology.Topology }
) {
  const handoffs = Handoffs.make(handle, declared)
  const noting = WaitNotes.make(handle)
  const scope = yield* Scope.Scope
  /** Tasks as their workers end, for whoever waits for them. */
  const waiting = new Map<string, Queue.Enqueue<string>>()
  const workers = new Map<string, Fiber.Fiber<void>>()
  const losses = new Map<string, Loss>()
  /** The time at which this process gave a task to a worker: one that takes up an open order has its whole time. */
  const begun = new Map<string, number>()
  const { silenceMillis = Number.POSITIVE_INFINITY } = declared

  /** The work of an order. If no `silence` is declared, a long wait for it is noted on record. */
  const noted = <R>({ task, work, worker }: WorkOrder<R>): Effect.Effect<unknown, unknown, R> =>
    declared.silenceMillis === undefined ? noting(work, { boss, task, worker }) : work

  /** The end of an order's work as it is on record: its result, or the error with which its worker ended. */
  const handedIn = <R>(order: WorkOrder<R>) =>
    Effect.matchCauseEffect(noted(order), {
      onSuccess: (result) => handoffs.report(order, result),
      onFailure: (cause) => {
        const reason = isLost(cause) ? LossReason.ofCause(cause) : undefined
        return reason === undefined ? Effect.failCause(cause) : handoffs.fail(order, reason)
      }
    })

  /** One worker. It hands its result in itself, so that a result is durable although the boss is dead. */
  const worker = <R>(order: WorkOrder<R>): Effect.Effect<void, never, R> =>
    handedIn(order).pipe(
      Effect.onExit((exit) => {
        const loss = lossOf(exit)
        if (loss !== undefined) losses.set(order.task, loss)
        const ended = waiting.get(order.task)
        return ended === undefined ? Effect.void : Queue.offer(ended, order.task)
      }),
      Effect.exit,
      Effect.asVoid
    )

  const stop = Effect.fnUntraced(function* (task: string) {
    const before = workers.get(task)
    if (before !== undefined) yield* Fiber.interrupt(before)
  })

  /** Ends a worker whose time is over. */
  const silence = Effect.fnUntraced(function* (task: string) {
    yield* stop(task)
    losses.set(task, { _tag: "Lost", error: LossReason.silent(declared) })
  })

  const start = Effect.fnUntraced(function* <R>(order: WorkOrder<R>) {
    yield* stop(order.task)
    losses.delete(order.task)
    begun.set(order.task, yield* Clock.currentTimeMillis)
    workers.set(order.task, yield* Effect.forkIn(worker(order), scope))
  })

  /** The time at which a worker has to have ended. */
  const endOf = (task: string, since = 0): number => Math.max(since, begun.get(task) ?? 0) + silenceMillis

  const isAtWork = (task: string): boolean => workers.get(task)?.pollUnsafe() === undefined && workers.has(task)

  const stopOf = (task: string): Outcome | undefined => {
    const loss = losses.get(task)
    return loss?._tag === "Stopped" ? loss.outcome : undefined
  }

  /** One look of the boss at its orders: carries out the step about each, as `Orchestrator` decides it. */
  const round = Effect.fnUntraced(function* <R>(orders: ReadonlyArray<WorkOrder<R>>) {
    const askedAt = yield* handoffs.askedAt
    const at = yield* Clock.currentTimeMillis
    const before = yield* handoffs.standing
    const next = Orchestrator.resume(before, { at, gone: [] }, declared)
    const asked: Array<string> = []
    let places = Limits.pacing.workersMax - orders.filter(({ task }) => isAtWork(task)).length
    for (const order of orders) {
      const { task } = order
      // An order that waits for a place is not given yet, so its time does not run.
      const isNew = !Object.hasOwn(before.tasks, task)
      if (Object.hasOwn(before.collected, task) || (isNew && places <= 0)) continue
      // Asked before the state is read: what a worker has handed in before its end is on record by then.
      const isLost = workers.has(task) && !isAtWork(task)
      const state = yield* handoffs.standing
      if (Object.hasOwn(state.collected, task) || stopOf(task) !== undefined) continue
      const known = Object.hasOwn(state.tasks, task) ? state.tasks[task] : undefined
      const isOver = isLost || (isAtWork(task) && at > endOf(task, known?.since))
      const worker = !workers.has(task) ? "none" : isOver ? "over" : "working"
      switch (Orchestrator.stepOf(task, known, { worker, askedAt, next })) {
        case "collect": {
          const collected = yield* handoffs.collect(task, boss)
          if (collected._tag === "Refused") return { asked, outcome: collected.outcome }
          break
        }
        case "ask":
          asked.push(task)
          if (!isLost) yield* silence(task)
          break
        case "dispatch": {
          // Nobody hands a result in between the look at the task and the new order.
          yield* stop(task)
          const ordered = yield* handoffs.dispatch(order, boss)
          if (ordered._tag === "Refused") return { asked, outcome: ordered.outcome }
          if (ordered._tag !== "Ordered") break
          yield* start(order)
          places--
          break
        }
        case "begin":
          yield* start(order)
          break
        case "await":
          break
      }
    }
    return { asked, outcome: undefined }
  })

  /** Waits until a worker ends, or the time of an open order is over. */
  const wait = Effect.fnUntraced(function* (open: ReadonlyArray<string>, ended: Queue.Dequeue<string>) {
    const { tasks } = yield* handoffs.standing
    const at = yield* Clock.currentTimeMillis
    const left = Math.min(...open.map((task) => endOf(task, Object.hasOwn(tasks, task) ? tasks[task]?.since : at) - at))
    const one = Queue.take(ended)
    yield* Number.isFinite(left) ? Effect.raceFirst(one, Effect.sleep(Math.max(0, left) + 1)) : one
  })

  const fulfil = Effect.fnUntraced(function* <R>(orders: ReadonlyArray<WorkOrder<R>>) {
    const ended = yield* Queue.unbounded<string>()
    for (const { task } of orders) waiting.set(task, ended)
    while (true) {
      const { asked, outcome } = yield* round(orders)
      const { collected, tasks } = yield* handoffs.standing
      const open = orders.map(({ task }) => task).filter((task) => !Object.hasOwn(collected, task))
      if (outcome === undefined && open.length === 0) break
      const stop = outcome ?? open.map(stopOf).find((each) => each !== undefined)
      const going = open.filter((task) => stopOf(task) === undefined && !asked.includes(task))
      if (outcome !== undefined || going.length === 0) {
        const end: CrewEnd =
          stop === undefined
            ? { _tag: "Asked", tasks: asked, errors: errorsOf(asked) }
            : { _tag: "Stopped", outcome: stop }
        return end
      }
      if (going.some((task) => Object.hasOwn(tasks, task) && tasks[task]?.handedIn !== undefined)) continue
      yield* wait(going, ended)
    }
    const results: Array<readonly [string, Json]> = []
    for (const { task } of orders) {
      const collected = yield* handoffs.collect(task, boss)
      results.push([task, collected._tag === "Taken" ? collected.result : null])
    }
    const done: CrewEnd = { _tag: "Done", results: Object.fromEntries(results) }
    return done
  })

  const errorsOf = (tasks: ReadonlyArray<string>): { readonly [task: string]: string } =>
    Object.fromEntries(
      tasks.flatMap((task) => {
        const loss = losses.get(task)
        return loss?._tag === "Lost" && loss.error !== undefined ? [[task, loss.error] as const] : []
      })
    )

  const crew: Crew = {
    fulfil,
    results: handoffs.results,
    kill: Effect.fnUntraced(function* (task) {
      const fiber = workers.get(task)
      if (fiber === undefined || !isAtWork(task)) return false
      yield* Fiber.interrupt(fiber)
      return true
    })
  }
  return crew
})

/** Tells whether a cause loses a handoff: work that waits loses none. */
const isLost = (cause: Cause.Cause<unknown>): boolean => !isWaiting(Option.getOrUndefined(Cause.findErrorOption(cause)))

const lossOf = (exit: Exit.Exit<Handoffs.Handed, unknown>): Loss | undefined => {
  if (Exit.isSuccess(exit)) {
    const handed = exit.value
    if (handed._tag === "Refused") return { _tag: "Stopped", outcome: handed.outcome }
    return handed._tag === "Lost" ? { _tag: "Lost", error: handed.reason } : undefined
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (isWaiting(error)) return { _tag: "Stopped", outcome: error.outcome }
  return { _tag: "Lost", error: LossReason.ofCause(exit.cause) }
}

/** Tells whether work ended because it waits. */
export const isWaiting = (error: unknown): error is Waiting =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Waiting" && "outcome" in error
