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
import * as Event from "@backstitch/topology/Event"
import type * as Memo from "@backstitch/topology/Memo"
import * as Nearness from "@backstitch/topology/Nearness"
import * as Orchestrator from "@backstitch/topology/Orchestrator"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import type * as RunHandle from "../run/RunHandle.ts"

/** A task for a worker. `brief` says what is to be done. */
export interface Order {
  readonly task: string
  readonly worker: string
  readonly brief: string
}

/**
 * The end of a handoff: taken with this call or before, not taken because it is no report, or refused by the kernel.
 */
export type Handed =
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Lost"; readonly signal: "echoed_brief" | "malformed_report" }
  | { readonly _tag: "Refused"; readonly outcome: Outcome }

/** Handoffs of one run. */
export interface Handoffs {
  /** The dispatch state as it is now, with what other processes have committed. */
  readonly standing: Effect.Effect<Orchestrator.Orchestrator, RunHandle.RunError>
  /** Orders a task, or orders it once more if it is open. A task that has a result is not ordered again. */
  readonly dispatch: (order: Order, boss: string) => Effect.Effect<Handed, RunHandle.RunError>
  /** Hands a result in. The first result of a task counts; one that repeats the brief is lost. */
  readonly report: (order: Order, result: unknown) => Effect.Effect<Handed, RunHandle.RunError>
  /** Takes a result over. Answers it however often it is asked for; `undefined` if there is none yet. */
  readonly collect: (task: string, boss: string) => Effect.Effect<Json | undefined, RunHandle.RunError>
}

/** The handoffs of an open run, under the topology that is declared. */
export const make = (handle: RunHandle.RunHandle, declared: Topology.Topology): Handoffs => {
  let state = Orchestrator.shape.init
  let results = new Map<string, Json>()
  let seen = 0
  let overtaken = 0

  const follow = Effect.gen(function* () {
    yield* handle.catchUp
    const standing = yield* handle.standing
    if (standing.overtaken !== overtaken) {
      // Transitions that were seen before they were durable may have other ticks now.
      state = Orchestrator.shape.init
      results = new Map()
      seen = 0
      overtaken = standing.overtaken
    }
    for (const transition of yield* handle.transitions(seen + 1)) {
      seen = transition.tick
      for (const event of Event.of(transition)) {
        const before = state
        state = Orchestrator.shape.step(state, event, declared).state
        if (event._tag === "Noted" && event.memo.memo === "report" && state !== before) {
          results.set(event.memo.task, event.memo.result as Json)
        }
      }
    }
    return state
  })

  const commit = Effect.fnUntraced(function* (
    memo: Memo.Memo,
    by: { readonly agent: string; readonly command: string }
  ) {
    const type = memo.memo === "dispatch" ? "plan.update" : "artifact.write"
    const outcome = yield* handle.propose({ type, ...by, data: { topology: memo as JsonObject } })
    yield* handle.flush
    const handed: Handed = outcome._tag === "Done" ? { _tag: "Taken" } : { _tag: "Refused", outcome }
    return handed
  })

  return {
    standing: follow,
    dispatch: Effect.fnUntraced(function* ({ brief, task, worker }, boss) {
      const { collected, tasks } = yield* follow
      const known = Object.hasOwn(tasks, task) ? tasks[task] : undefined
      if (Object.hasOwn(collected, task) || known?.handedIn !== undefined) return { _tag: "Taken" }
      const command = `order ${task}, try ${(known?.tries ?? 0) + 1}`
      return yield* commit({ memo: "dispatch", task, worker, brief }, { agent: boss, command })
    }),
    report: Effect.fnUntraced(function* ({ brief, task, worker }, result) {
      if (!isJson(result)) return { _tag: "Lost", signal: "malformed_report" }
      if (Orchestrator.isEcho(Nearness.words(brief), result)) return { _tag: "Lost", signal: "echoed_brief" }
      return yield* commit({ memo: "report", task, result }, { agent: worker, command: `report ${task}` })
    }),
    collect: Effect.fnUntraced(function* (task, boss) {
      const { collected, tasks } = yield* follow
      if (!Object.hasOwn(collected, task)) {
        if (!Object.hasOwn(tasks, task) || tasks[task]?.handedIn === undefined) return undefined
        yield* commit({ memo: "collect", task }, { agent: boss, command: `collect ${task}` })
      }
      return results.get(task)
    })
  }
}

/** A report without a result has another form than a report. */
const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== "function"
