/**
 * A crew: one boss and its workers as fibers of one process, over the handoffs of one run.
 *
 * The boss orders tasks, collects results, and goes on after a crash of the process from what is on record. A worker
 * that ends without a report, is killed, or is silent past its time has lost its handoff: its task is ordered once
 * more. After a second loss a person is asked, and nothing is ordered a third time.
 *
 * @source Crash Recovery, orchestrator crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import * as Orchestrator from "@backstitch/topology/Orchestrator"
import type { Json } from "@backstitch/trace/Canonical"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Handoffs from "./Handoffs.ts"

/** The errand of a crew: its orders, and what a worker does with one. Errors of a worker lose its handoff. */
export interface Errand<R = never> {
  readonly declared: Topology.Topology
  readonly boss: string
  readonly orders: ReadonlyArray<Handoffs.Order>
  readonly work: (order: Handoffs.Order) => Effect.Effect<unknown, unknown, R>
}

/** The end of a crew's work: the results by task, or the tasks about which a person is asked. */
export type Ended =
  | { readonly _tag: "Done"; readonly results: { readonly [task: string]: Json } }
  | { readonly _tag: "Asked"; readonly tasks: ReadonlyArray<string> }

/** A crew at work. */
export interface Crew {
  /** Works until every task has a collected result, or a person has to be asked. */
  readonly run: Effect.Effect<Ended, RunHandle.RunError>
  /** Kills the worker that has a task, and no other; answers whether there was one. */
  readonly kill: (task: string) => Effect.Effect<boolean>
}

/** Makes a crew on an open run. Its workers end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: Errand<R>) {
  const { boss, declared, orders, work } = errand
  const handoffs = Handoffs.make(handle, declared)
  const context = yield* Effect.context<R>()
  const scope = yield* Scope.Scope
  const ended = yield* Queue.unbounded<string>()
  const workers = new Map<string, Fiber.Fiber<void>>()

  /** One worker. It hands its result in itself, so that a result is durable although the boss is dead. */
  const worker = (order: Handoffs.Order) =>
    work(order).pipe(
      Effect.flatMap((result) => handoffs.report(order, result)),
      Effect.provideContext(context),
      Effect.exit,
      Effect.asVoid,
      Effect.ensuring(Queue.offer(ended, order.task))
    )

  const start = Effect.fnUntraced(function* (order: Handoffs.Order) {
    const before = workers.get(order.task)
    if (before !== undefined) yield* Fiber.interrupt(before)
    workers.set(order.task, yield* Effect.forkIn(worker(order), scope))
  })

  const isAtWork = (task: string): boolean => workers.get(task)?.pollUnsafe() === undefined && workers.has(task)

  /** Orders of this errand that are open and have no worker here: their workers died with another process. */
  const takeUp = Effect.fnUntraced(function* (open: ReadonlyArray<string>) {
    for (const order of orders) {
      if (open.includes(order.task) && !workers.has(order.task)) yield* start(order)
    }
  })

  const round = Effect.gen(function* () {
    const state = yield* handoffs.standing
    const at = yield* Clock.currentTimeMillis
    const lost = orders.filter(({ task }) => workers.has(task) && !isAtWork(task))
    const next = Orchestrator.resume(state, { at, gone: [] }, declared)
    const isLost = (task: string): boolean => lost.some((order) => order.task === task)
    for (const task of next.collect) yield* handoffs.collect(task, boss)
    const again = [...next.dispatch, ...next.await.filter((task) => isLost(task) && state.tasks[task]!.tries < 2)]
    const asked = [...next.ask, ...next.await.filter((task) => isLost(task) && state.tasks[task]!.tries >= 2)]
    for (const order of orders) {
      const isNew = !Object.hasOwn(state.tasks, order.task) && !Object.hasOwn(state.collected, order.task)
      if (!isNew && !again.includes(order.task)) continue
      yield* handoffs.dispatch(order, boss)
      yield* start(order)
    }
    yield* takeUp(next.await.filter((task) => !asked.includes(task)))
    return asked
  })

  const wait = Effect.gen(function* () {
    const { tasks } = yield* handoffs.standing
    const at = yield* Clock.currentTimeMillis
    const { silenceMillis = Number.POSITIVE_INFINITY } = declared
    const open = Object.values(tasks).filter(({ handedIn }) => handedIn === undefined)
    const left = Math.min(...open.map((task) => task.at + silenceMillis - at))
    const one = Queue.take(ended)
    yield* Number.isFinite(left) ? Effect.raceFirst(one, Effect.sleep(Math.max(0, left) + 1)) : one
  })

  const run = Effect.gen(function* () {
    while (true) {
      const asked = yield* round
      const { collected } = yield* handoffs.standing
      const open = orders.filter(({ task }) => !Object.hasOwn(collected, task))
      if (open.length === 0) break
      if (open.every(({ task }) => asked.includes(task))) {
        const gone: Ended = { _tag: "Asked", tasks: asked }
        return gone
      }
      const { tasks } = yield* handoffs.standing
      if (open.some(({ task }) => Object.hasOwn(tasks, task) && tasks[task]?.handedIn !== undefined)) continue
      yield* wait
    }
    const results: Array<readonly [string, Json]> = []
    for (const { task } of orders) results.push([task, (yield* handoffs.collect(task, boss)) ?? null])
    const done: Ended = { _tag: "Done", results: Object.fromEntries(results) }
    return done
  })

  const crew: Crew = {
    run,
    kill: Effect.fnUntraced(function* (task) {
      const fiber = workers.get(task)
      if (fiber === undefined || !isAtWork(task)) return false
      yield* Fiber.interrupt(fiber)
      return true
    })
  }
  return crew
})
