/**
 * A plan that is written first and carried out step by step, in an open run.
 *
 * | when | follows |
 * | --- | --- |
 * | a process goes on, or a step is next | the world is read, and the plan is continued only if it is fresh |
 * | its time is over, or an assumed fact is otherwise | a new plan from the world as it is; the old one never goes on |
 * | a step fails | a new plan, the next step, or a question to a person, as the topology declares |
 * | too many plans were made | a question to a person |
 *
 * @source Crash Recovery, plan-execute crash profile
 */
import * as Topology from "@backstitch/contracts/Topology"
import type * as Memo from "@backstitch/topology/Memo"
import * as PlanExecute from "@backstitch/topology/PlanExecute"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Payload from "@backstitch/trace/Payload"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"
import * as FollowedEvents from "./followedEvents.ts"
import * as LossReason from "./lossReason.ts"
import * as WaitNotes from "./waitNotes.ts"

/** A plan as its planner hands it in: the steps, and the facts of the world that it assumes. */
export const ProposedPlan = Schema.Struct({
  steps: Schema.Array(Schema.String).check(Schema.isMinLength(1)),
  assumes: Schema.optionalKey(Schema.Record(Schema.String, Payload.Json))
})

/** A plan as its planner hands it in. */
export type ProposedPlan = typeof ProposedPlan.Type

/** The end of a step: its output, or the failure, with the object that is missing if there is one. */
export const StepResult = Schema.Union([
  Schema.Struct({ done: Payload.Json }),
  Schema.Struct({ failed: Schema.String, missing: Schema.optionalKey(Schema.String) })
])

/** The end of a step. */
export type StepResult = typeof StepResult.Type

/** A step that failed, and the reason that it gave. */
export interface Failure {
  readonly step: string
  readonly reason: string
}

/** A request for a plan: the world as it is, and the reason why there is none that may go on. */
export interface Planning {
  readonly world: JsonObject
  readonly because: "changed" | "expired" | "failed" | "none"
  /** The fact that has changed. */
  readonly fact?: string | undefined
  /** The step that failed, and the reason that it gave. */
  readonly failure?: Failure | undefined
  /** Steps that earlier plans have carried out, with their outputs. */
  readonly done: ReadonlyArray<{ readonly step: string; readonly output: Json }>
}

/** One step of the plan in force. */
export interface PlanStep {
  readonly number: number
  readonly step: string
  readonly world: JsonObject
}

/** The errand of a plan. `world` reads the present values of the facts that a plan may assume. */
export interface PlanErrand<R = never> {
  readonly declared: Topology.Topology
  readonly world: Effect.Effect<JsonObject, unknown, R>
  readonly plan: (planning: Planning) => Effect.Effect<unknown, unknown, R>
  readonly carryOut: (step: PlanStep) => Effect.Effect<unknown, unknown, R>
}

/**
 * The plan under way, the plans so far and since a person was asked, the tick of that, and the steps that were
 * carried out.
 */
interface Followed {
  readonly state: PlanExecute.PlanExecute
  readonly plans: number
  readonly plansSince: number
  readonly askedAt: number
  readonly done: ReadonlyArray<DoneStep>
}

/** A step that was carried out, and the task of it. */
interface DoneStep {
  readonly step: string
  readonly task: string
}

/** A plan that is carried out. */
export interface PlanRun<R = never> {
  readonly run: Effect.Effect<Ending.Ending, RunHandle.RunError, R>
  /** Kills the worker that has a task, such as `plan 1` or `plan 1, step 2`. */
  readonly kill: Crew.Crew["kill"]
}

/** Prepares a plan in an open run. Its workers end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: PlanErrand<R>) {
  const { declared } = errand
  const executor = Topology.agentOf(declared, "executor")
  const planner = Topology.agentOf(declared, "planner")
  const crew = yield* Crew.make(handle, { boss: planner, declared })
  const follow = FollowedEvents.make<Followed>(handle, {
    init: () => ({ state: PlanExecute.shape.init, plans: 0, plansSince: 0, askedAt: 0, done: [] }),
    asked: (self, askedAt) => ({ ...self, askedAt, plansSince: 0 }),
    step: (self, event) => {
      const { done, plans } = self
      const { state } = PlanExecute.shape.step(self.state, event, declared)
      const memo = event._tag === "Noted" ? event.memo : undefined
      if (memo?.memo === "plan") return { ...self, state, plans: plans + 1, plansSince: self.plansSince + 1 }
      if (memo?.memo !== "step" || memo.status !== "done") return { ...self, state }
      const step = state.plan?.steps[memo.step - 1] ?? ""
      return { ...self, state, done: [...done, { step, task: stepOf(plans, memo.step) }] }
    }
  })

  /** Steps that were carried out, with the outputs that count. */
  const outputs = ({ done }: Followed) =>
    Effect.map(crew.results, (results) =>
      done.map(({ step, task }) => ({ step, output: Canonical.objectOf(results.get(task))["done"] ?? null }))
    )

  /** The step of the plan in force that failed; `undefined` if none did. */
  const failureOf = Effect.fnUntraced(function* ({ plans, state: { failed, plan } }: Followed) {
    if (failed === undefined) return undefined
    const { failed: reason } = Canonical.objectOf((yield* crew.results).get(stepOf(plans, failed.step)))
    const failure: Failure = {
      step: plan?.steps[failed.step - 1] ?? "",
      reason: String(reason ?? "it did not say why")
    }
    return failure
  })

  /** A new plan from the world as it is. */
  const replan = Effect.fnUntraced(function* (followed: Followed, asked: Omit<Planning, "done" | "failure">) {
    const { plans, plansSince } = followed
    const failure = yield* failureOf(followed)
    if (plansSince >= Limits.pacing.plansMax) {
      return failure === undefined
        ? Ending.ask("stale_plan", [`plan ${plans}`], staleness(asked))
        : Ending.ask("partial_execution", [failure.step], failure.reason)
    }
    const planning = failure === undefined ? asked : { ...asked, failure }
    const task = `plan ${plans + 1}`
    const brief = `Plan from the world as it is (${planning.fact ?? planning.because})`
    const work = errand.plan({ ...planning, done: yield* outputs(followed) })
    const ended = yield* crew.fulfil([{ task, worker: planner, brief, misfit: misfitOfPlan, work }])
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const made = Schema.decodeUnknownSync(ProposedPlan)(ended.results[task])
    const memo = { memo: "plan", ...made } as Memo.Memo
    return Ending.stopped(yield* commit(handle, memo, { agent: planner, command: task }))
  })

  /** The question about a plan that ends with the step that failed. */
  const stopped = (followed: Followed) =>
    Effect.map(failureOf(followed), (failure) =>
      Ending.ask("partial_execution", [failure?.step ?? ""], failure?.reason)
    )

  /** The next step of the plan. Its end is on record before another one begins. */
  const carryOut = Effect.fnUntraced(function* (
    { plans, state: { plan } }: Followed,
    number: number,
    world: JsonObject
  ) {
    const task = stepOf(plans, number)
    const step = plan?.steps[number - 1] ?? ""
    const noted = (status: "begun" | "done" | "failed" | "skipped", missing?: string) =>
      commit(
        handle,
        { memo: "step", step: number, status, ...(missing === undefined ? {} : { missing }) },
        { agent: executor, command: `${task} ${status}` }
      )
    const begun = yield* noted("begun")
    if (begun !== undefined) return Ending.stopped(begun)
    const work = errand.carryOut({ number, step, world })
    const ended = yield* crew.fulfil([{ task, worker: executor, brief: step, misfit: misfitOfStep, work }])
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const result = Schema.decodeUnknownSync(StepResult)(ended.results[task])
    if ("done" in result) return Ending.stopped(yield* noted("done"))
    const failed = yield* noted("failed", result.missing)
    if (failed !== undefined || declared.onFailure !== "skip") return Ending.stopped(failed)
    return Ending.stopped(yield* noted("skipped"))
  })

  const { silenceMillis } = declared
  const awaited = { boss: planner, task: "world", worker: Topology.agentOf(declared, "world") }
  const look =
    silenceMillis === undefined
      ? WaitNotes.make(handle)(errand.world, awaited)
      : Effect.timeoutOrElse(errand.world, {
          duration: silenceMillis,
          orElse: () => Effect.fail(new Error(LossReason.silent(declared)))
        })

  /** A look at the world that is lost, or silent past its time, is taken once more, like any handoff. */
  const world = Effect.retry(look, { times: 1, while: (error) => !Crew.isWaiting(error) })

  const run = Effect.gen(function* () {
    while (true) {
      const read = yield* Effect.exit(world)
      if (Exit.isFailure(read)) {
        const error = Option.getOrUndefined(Cause.findErrorOption(read.cause))
        if (Crew.isWaiting(error)) return Ending.stopped(error.outcome)!
        return Ending.ask("stale_plan", ["world"], LossReason.ofCause(read.cause))
      }
      const followed = yield* follow
      const way = PlanExecute.resume(
        followed.state,
        { at: yield* Clock.currentTimeMillis, world: read.value },
        declared
      )
      let ending: Ending.Ending | undefined
      switch (way._tag) {
        case "Done":
          return Ending.reached(yield* outputs(followed))
        case "Stop":
          // Work that goes on behind the question needs a new plan.
          if (followed.askedAt > (followed.state.failed?.tick ?? 0)) {
            ending = yield* replan(followed, { world: read.value, because: "failed" })
            break
          }
          return yield* stopped(followed)
        case "Replan":
          ending = yield* replan(followed, { world: read.value, because: way.because, fact: way.fact })
          break
        case "Continue":
          ending = yield* carryOut(followed, way.step, read.value)
      }
      if (ending !== undefined) return ending
    }
  })
  const made: PlanRun<R> = { run, kill: crew.kill }
  return made
})

const misfitOfPlan = LossReason.ofSchema(ProposedPlan, "a plan, { steps, assumes }, with a step at least")

const misfitOfStep = LossReason.ofSchema(StepResult, "{ done }, or { failed, missing } with a reason")

/** The reason why a plan may not go on, in words. */
const staleness = ({ because, fact }: Pick<Planning, "because" | "fact">): string | undefined => {
  if (fact !== undefined) return `${fact} is no longer as the plan assumes`
  return because === "expired" ? "the time of the plan is over" : undefined
}

const stepOf = (plan: number, step: number): string => `plan ${plan}, step ${step}`
