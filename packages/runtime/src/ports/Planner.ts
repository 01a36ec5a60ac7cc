/**
 * Proposes what to do next: a model, a script, a person, or a record of one.
 *
 * A planner sees a projection of the trace and the state, in which nothing is
 * as a tool put it, and answers a proposal. It commits nothing: the kernel
 * decides what becomes of it.
 */

import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as PlannerContext from "./PlannerContext.ts"

/** The view that a planner is given. */
export type View = PlannerContext.View

/** Error for a planner that cannot go on. */
export class PlannerError extends Schema.TaggedError<PlannerError>("@backstitch/runtime/PlannerError")("PlannerError", {
  step: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The planner could not propose ${this.step}: ${reasonOf(this.cause)}`
  }
}

/**
 * Service that proposes. `undefined` means that there is nothing more to do.
 *
 * **Details**
 *
 * `authors` names what its proposals may count occurrences as: a `plan` was
 * made before, a `record` says who counted. Without it nothing does.
 */
export class Planner extends Context.Service<
  Planner,
  {
    readonly authors?: "plan" | "record" | undefined
    readonly next: (view: View) => Effect.Effect<Proposal | undefined, PlannerError>
  }
>()("@backstitch/runtime/Planner") {}

/**
 * One step of a script. `id` is its command: a step that the run has carried out is not proposed again, which makes a
 * script resumable without a cursor.
 */
export interface Step {
  readonly id: string
  readonly propose: Proposal | ((view: View) => Proposal)
}

/**
 * Proposes to tell people something, and reports those of the given actions that change the world as a success.
 *
 * **Details**
 *
 * The kernel refuses it, or marks it, where one of them is none. Without actions the message declares that it reports
 * none. What is to be told as something else goes into `data.reports` by hand, with its standing.
 */
export const message = (content: string, actions: ReadonlyArray<PlannerContext.Act> = []): Proposal => ({
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
 * A step that was refused or failed ends the script: a script has no second idea. After a resume, a step that was
 * refused is proposed again, and so is a read that failed: it changed nothing, and the world may answer by now. Where
 * the latest step is still under way, in another process perhaps, or a mutation that failed, its command is proposed:
 * the record answers, and the script does not run ahead of what it stands on.
 */
export const layerScript = (steps: ReadonlyArray<Step>): Layer.Layer<Planner> =>
  Layer.sync(Planner, (): Planner["Service"] => {
    const done = new Set<string>()
    return {
      authors: "plan",
      next: (view) => {
        const { last } = view
        if (last !== undefined && last._tag !== "Done") return Effect.succeed(undefined)
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
        return proposed(step, view, step.id)
      }
    }
  })

const proposed = (step: Step, view: View, command: string): Effect.Effect<Proposal, PlannerError> =>
  Effect.try({
    try: () => ({ ...proposalOf(typeof step.propose === "function" ? step.propose(view) : step.propose), command }),
    catch: (cause) => new PlannerError({ step: step.id, cause })
  })

/** The command of the n-th time that a step is proposed: each is another, as the record answers one that it knows. */
const tried = (id: string, times: number): string => (times === 1 ? id : `${id} (${times})`)

const lastTry = ({ state }: View, id: string): { readonly command: string; readonly times: number } => {
  let times = 1
  while (HandledCommands.find(state, tried(id, times + 1)) !== undefined) times++
  return { command: tried(id, times), times }
}

/**
 * Names the reason why a step that was carried out is not over: its action is open or failed. `undefined` once it is
 * over.
 */
const leftOf = ({ actions, state }: View, command: string): "failed" | "failed read" | "open" | undefined => {
  const id = HandledCommands.find(state, command)?.action
  if (id === undefined) return undefined
  if (OpenActions.of(state)[id] !== undefined) return "open"
  const act = actions.find(({ action }) => action === id)
  if (act === undefined || act.status === "ok" || act.status === "open") return undefined
  return act.class === "read_only" ? "failed read" : "failed"
}

/** Layer that proposes what a recorded run proposed, in the same order (replay mode `recorded`). */
export const layerRecorded = (recorded: ReadonlyArray<Proposal>): Layer.Layer<Planner> =>
  Layer.sync(Planner, (): Planner["Service"] => {
    let index = 0
    return { authors: "record", next: () => Effect.sync(() => recorded[index++]) }
  })

/** Layer of a planner given as a function. */
export const layerFrom = (next: (view: View) => Promise<Proposal | undefined>): Layer.Layer<Planner> =>
  Layer.succeed(Planner, {
    next: (view) =>
      Effect.tryPromise({
        // Who programs in JavaScript ends with null as well.
        try: async () => {
          const given = (await next(view)) ?? undefined
          return given === undefined ? undefined : proposalOf(given)
        },
        catch: (cause) => new PlannerError({ step: "its next step", cause })
      })
  })

/** The fields of what is proposed. Throws where it is no proposal, or where code of others throws as it is read. */
const proposalOf = (given: unknown): Proposal => {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return { ...given }
  throw new Error(`it answered ${given === null ? "null" : typeof given}, and no object with a type or a tool`)
}

/** Words for a thrown value; one without words says that it has none. */
const reasonOf = (cause: unknown): string => {
  try {
    return cause instanceof Error ? cause.message : String(cause)
  } catch {
    return "it failed with what cannot be read"
  }
}
