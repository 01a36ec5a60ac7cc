/**
 * A planner and its tools, and the loop that lets the one propose and the kernel decide.
 *
 * @since 0.1.0
 */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"
import * as Library from "./Library.ts"
import * as Planner from "./Planner.ts"
import * as PlannerContext from "./PlannerContext.ts"
import type * as RunHandle from "./RunHandle.ts"
import type * as ToolExecutor from "./ToolExecutor.ts"
import * as Tracing from "./Tracing.ts"

/**
 * An agent as a module exports it: `export default { pack, goal, steps, tools } satisfies Agent.Agent`.
 *
 * **Details**
 *
 * `pack` is the path of its contract, beside the module. An agent has either
 * `steps`, a script, or `next`, a function that proposes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Agent {
  readonly pack: string
  readonly goal: string
  readonly text?: string | undefined
  readonly clauses?: JsonObject | undefined
  readonly steps?: ReadonlyArray<Planner.Step> | undefined
  readonly next?: ((view: Planner.View) => Promise<Proposal | undefined>) | undefined
  readonly tools: ToolExecutor.Tools
}

/**
 * What happened in one turn of the loop.
 *
 * @category models
 * @since 0.1.0
 */
export interface Turn {
  readonly outcome: Outcome
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * An emergency: who starts what waits in a review without the approval that it needs, and why.
 *
 * @category models
 * @since 0.1.0
 */
export interface Emergency {
  readonly review: string
  readonly by: string
  readonly reason: string
}

/**
 * Proposals in one loop at most: a planner that never ends is ended.
 *
 * @category constants
 * @since 0.1.0
 */
export const turnsMax = 10_000

/**
 * Lets the planner propose until it has nothing more to do, or the run waits for a person or an unknown outcome.
 *
 * **Details**
 *
 * What a crash left open is settled first. `visit` sees each turn with the transitions that it committed. With an
 * `emergency`, the proposal that waits in exactly that review is started: no other, and by no planner.
 *
 * @category combinators
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  visit: (turn: Turn) => void = () => {},
  emergency?: Emergency | undefined
) {
  const planner = yield* Planner.Planner
  const history = yield* History.History
  const library = yield* Library.Library
  const context = PlannerContext.make(handle.run.id)
  let seen = 0

  const catchUp = Effect.gen(function* () {
    const fresh = yield* history.transitions(handle.run, { from: seen + 1 })
    seen += fresh.length
    context.follow(fresh)
    return fresh
  })

  yield* catchUp
  for (const outcome of yield* handle.recover) {
    visit({ outcome, transitions: yield* catchUp })
    if (outcome._tag === "Held" || outcome._tag === "Parked") return outcome
  }
  let last: Outcome | undefined
  for (let turn = 0; turn < turnsMax; turn++) {
    const { state } = yield* handle.position
    const pack = yield* library.folding(() => library.packAt(state, seen + 1))
    const view = context.view({ state, pack }, last)
    const { thought, value: proposal } = yield* Tracing.thinking(planner.next(view))
    // What remains behind a pivot is completed before the run is over, whoever says that it is.
    if (proposal === undefined || proposal.type === "goal.complete") {
      const completed = yield* handle.complete
      if (completed !== undefined) visit({ outcome: completed, transitions: yield* catchUp })
      if (completed !== undefined && completed._tag !== "Done") return completed
      if (proposal === undefined && (completed === undefined || (last !== undefined && last._tag !== "Done"))) {
        return completed ?? last
      }
      if (proposal === undefined) {
        last = completed
        continue
      }
    }
    // A planner speaks for the agent alone, and breaks no glass (L4).
    const proposed = handle.propose({ ...proposal, author: "agent", breakGlass: undefined })
    last = yield* Tracing.thought(proposed, thought)
    visit({ outcome: last, transitions: yield* catchUp })
    if (last._tag === "Parked" && emergency !== undefined && last.review === emergency.review) {
      const { by, reason } = emergency
      last = yield* handle.propose({ ...proposal, author: "agent", breakGlass: { by, reason } })
      visit({ outcome: last, transitions: yield* catchUp })
    }
    if (last._tag === "Held" || last._tag === "Parked") return last
  }
  return last
})
