/**
 * Proposes what to do next: a model, a script, a person, or a record of one.
 *
 * A planner sees a projection of the trace and the state, without any raw output of a tool, and answers a proposal.
 * It commits nothing: the kernel decides on the proposal.
 */

import * as Check from "@backstitch/kernel/Check"
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as PlannerView from "../planner/PlannerView.ts"

/** The view that a planner is given. */
export type View = PlannerView.PlannerView

/** Error for a planner that cannot continue. */
export class PlannerError extends Schema.TaggedError<PlannerError>("@backstitch/runtime/PlannerError")("PlannerError", {
  step: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The planner could not propose ${this.step}: ${reasonOf(this.cause)}`
  }
}

/**
 * Service that proposes. `undefined` means that the planner is done.
 *
 * **Details**
 *
 * `authors` names the allowed authors of an occurrence number in its proposals: a `plan` was made before the run, a
 * `record` names the original author. Without `authors`, no number is allowed.
 */
export class Planner extends Context.Service<
  Planner,
  {
    readonly authors?: "plan" | "record" | undefined
    readonly next: (view: View) => Effect.Effect<Proposal | undefined, PlannerError>
    /** Another planner, which takes the loop over where this one is stuck. */
    readonly fallback?: ((view: View) => Effect.Effect<Proposal | undefined, PlannerError>) | undefined
  }
>()("@backstitch/runtime/Planner") {}

/**
 * One step of a script. `id` is its command. A step that the run has carried out is not proposed again, so a script
 * can be resumed without a cursor.
 */
export interface ScriptStep {
  readonly id: string
  readonly propose: Proposal | ((view: View) => Proposal)
}

/**
 * Proposes a message to people that reports as a success each of the given actions that changes the world.
 *
 * **Details**
 *
 * The kernel refuses the message, or marks it, if one of these actions is no success. Without actions, the message
 * declares that it reports none. An action with another standing has to be added to `data.reports` by hand.
 */
export const message = (
  content: string,
  actions: ReadonlyArray<Pick<PlannerView.ViewedAction, "action" | "class">> = []
): Proposal => ({
  type: "message.sent",
  data: {
    content,
    reports: actions.flatMap(({ action, class: sideEffect }) =>
      sideEffect === "read_only" ? [] : [{ action, standing: "success" }]
    )
  }
})

/**
 * Layer that proposes the steps of a script in order, each once.
 *
 * **Details**
 *
 * A step that was refused or failed ends the script, unless it only has to wait for a revision of the goal: then it is
 * proposed again. After a resume, a refused step is proposed again. So is a read
 * that failed, because it changed nothing and may succeed by now. If the latest step is still under way, or is a
 * mutation that failed, its command is proposed again: the record answers, and later steps of the script do not run
 * before it is settled.
 */
export const layerScript = (steps: ReadonlyArray<ScriptStep>): Layer.Layer<Planner> =>
  Layer.sync(Planner, (): Planner["Service"] => {
    const done = new Set<string>()
    let proposing: string | undefined
    return {
      authors: "plan",
      next: (view) => {
        const { last } = view
        if (last !== undefined && last._tag !== "Done") {
          if (!isPostponed(last) || proposing === undefined) return Effect.succeed(undefined)
          done.delete(proposing)
        }
        const index = steps.findIndex(({ id }) => !done.has(id) && HandledCommands.find(view.state, id) === undefined)
        const latest = steps.at(index < 0 ? -1 : index - 1)
        if (index !== 0 && latest !== undefined && !done.has(latest.id)) {
          const { command, times } = lastTry(view, latest.id)
          const left = leftOf(view, command)
          done.add(latest.id)
          if (left === "failed read") return proposed(latest, view, tried(latest.id, times + 1))
          if (left !== undefined) return Effect.succeed({ command })
        }
        const step = steps[index]
        if (step === undefined) return Effect.succeed(undefined)
        done.add(step.id)
        proposing = step.id
        return proposed(step, view, step.id)
      }
    }
  })

/** Tells whether a proposal was refused only because a revision of the goal has to be absorbed first. */
export const isPostponed = (last: PlannerView.LastProposal | Outcome): boolean => {
  if (!("checks" in last)) return false
  const failing = Check.failing(last.checks)
  return failing.length > 0 && failing.every(({ why }) => why?.code === "revision.pending")
}

const proposed = (step: ScriptStep, view: View, command: string): Effect.Effect<Proposal, PlannerError> =>
  Effect.try({
    try: () => ({ ...proposalOf(typeof step.propose === "function" ? step.propose(view) : step.propose), command }),
    catch: (cause) => new PlannerError({ step: step.id, cause })
  })

/**
 * The command of the n-th proposal of a step. Each has a different command, since the record would answer a known
 * one.
 */
const tried = (id: string, times: number): string => (times === 1 ? id : `${id} (${times})`)

const lastTry = ({ state }: View, id: string): { readonly command: string; readonly times: number } => {
  let times = 1
  while (HandledCommands.find(state, tried(id, times + 1)) !== undefined) times++
  return { command: tried(id, times), times }
}

/**
 * Names the reason why a step that was carried out is not over: its action is open or failed. `undefined` once the
 * step is over.
 */
const leftOf = ({ actions, state }: View, command: string): "failed" | "failed read" | "open" | undefined => {
  const id = HandledCommands.find(state, command)?.action
  if (id === undefined) return undefined
  if (OpenActions.of(state)[id] !== undefined) return "open"
  const act = actions.find(({ action }) => action === id)
  if (act === undefined || act.status === "ok" || act.status === "open") return undefined
  return act.class === "read_only" ? "failed read" : "failed"
}

/** A planner as a function. */
export type PlannerFunction = (view: View) => Promise<Proposal | undefined>

/** Layer of a planner given as a function. */
export const layerFrom = (next: PlannerFunction): Layer.Layer<Planner> => Layer.succeed(Planner, { next: asked(next) })

/** Layer of a planner with another one that takes its loop over where it is stuck. */
export const withFallback = <E, R>(
  planner: Layer.Layer<Planner, E, R>,
  fallback: PlannerFunction
): Layer.Layer<Planner, E, R> =>
  Layer.provide(
    Layer.effect(
      Planner,
      Effect.map(Planner, (own): Planner["Service"] => ({ ...own, fallback: asked(fallback) }))
    ),
    planner
  )

const asked = (next: PlannerFunction) => (view: View) =>
  Effect.tryPromise({
    // A planner in JavaScript may also end with `null`.
    try: async () => {
      const given = (await next(view)) ?? undefined
      return given === undefined ? undefined : proposalOf(given)
    },
    catch: (cause) => new PlannerError({ step: "its next step", cause })
  })

/** The fields of a proposal. Throws if the value is no proposal, or if its getters throw. */
const proposalOf = (given: unknown): Proposal => {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return { ...given }
  throw new Error(`it answered ${given === null ? "null" : typeof given}, and no object with a type or a tool`)
}

/** A text for a thrown value; says so if the value has none. */
const reasonOf = (cause: unknown): string => {
  try {
    return cause instanceof Error ? cause.message : String(cause)
  } catch {
    return "it failed with what cannot be read"
  }
}
