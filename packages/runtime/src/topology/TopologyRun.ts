/**
 * Lets the roles of an agent work on an open run in the topology that its pack declares.
 *
 * The work ends when the goal is reached, a person is asked, or an outcome forbids to go on.
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Lexicon from "../ports/Lexicon.ts"
import { toTraceJson } from "../ports/traceJson.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as CrackQuestion from "./CrackQuestion.ts"
import * as Crew from "./Crew.ts"
import * as DebateRun from "./DebateRun.ts"
import * as Ending from "./Ending.ts"
import * as HierarchyRun from "./HierarchyRun.ts"
import * as LossReason from "./lossReason.ts"
import * as PipelineRun from "./PipelineRun.ts"
import * as PlanRun from "./PlanRun.ts"
import * as Roles from "./Roles.ts"

/** Names of the tasks that a topology itself gives out. */
const own = /^(?:orders of |level \d+, shard \d+$)/

/** Tasks as a boss or a root answers them. */
const Orders = Schema.Array(
  Schema.Struct({ task: Schema.NonEmptyString, brief: Schema.String, worker: Schema.optionalKey(Schema.String) })
).check(Schema.isMinLength(1))

const otherThanOrders = LossReason.ofSchema(Orders, "a list of tasks, each { task, brief }")

/** Each task has a name of its own, which the topology itself does not use. */
const misfitOfOrders: LossReason.Misfit = (result) => {
  if (!Schema.is(Orders)(result)) return otherThanOrders(result)
  const names = result.map(({ task }) => task)
  const taken = names.find((name) => own.test(name))
  if (taken !== undefined) return `it named a task ${taken}, as the topology names one of its own`
  const twin = names.find((name, place) => names.indexOf(name) < place)
  return twin === undefined ? undefined : `it named two tasks ${twin}`
}

/** Parts of a topology at work. */
interface Parts {
  readonly handle: RunHandle.RunHandle
  readonly declared: Topology.Topology
  /** A role on an input, in the name of an agent: by default the one that the topology names for the role. */
  readonly as: (role: string, input: unknown, agent?: string) => Effect.Effect<unknown, unknown>
}

/**
 * Works until the topology ends. The goal is then declared reached, or the question is on record; `undefined` if the
 * goal is reached already.
 */
export const run = Effect.fn("TopologyRun.run")(function* (
  handle: RunHandle.RunHandle,
  declared: Topology.Topology,
  roles: Roles.Roles["Service"]
) {
  if (Goal.isReached((yield* handle.standing).state)) return undefined
  const ending = yield* worked(handle, declared, roles)
  if (ending._tag === "Stopped") return ending.outcome
  if (ending._tag === "Asked") return yield* CrackQuestion.ask(handle, ending)
  const completion = { type: "goal.complete", data: { result: ending.result }, command: "the goal is reached" }
  const outcome: Outcome = yield* handle.propose(completion)
  yield* handle.flush
  return outcome
})

/**
 * The end of the work, once every call that was begun in it has ended: also that of a role that was killed. A call of
 * such a role that came to wait stops the run: its task is not lost, and its goal not reached, before the answer.
 */
const worked = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  declared: Topology.Topology,
  roles: Roles.Roles["Service"]
) {
  const stops: Array<Outcome> = []
  const lexicon = yield* Lexicon.Lexicon
  const ending = yield* Effect.scoped(
    Effect.gen(function* () {
      const work = Roles.at(yield* carryingOut(handle, stops), roles, lexicon)
      const as: Parts["as"] = (role, input, agent = Topology.agentOf(declared, role)) => work(role, input, agent)
      return yield* endOf({ as, declared, handle })
    })
  )
  return ending._tag === "Stopped" ? ending : (Ending.stopped(stops[0]) ?? ending)
})

/**
 * An open run whose calls have ended once the scope has, unless the process is told to end. Outcomes behind which
 * nothing may go on are added to `stops`.
 */
const carryingOut = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, stops: Array<Outcome>) {
  const calls = new Set<Promise<void>>()
  yield* Effect.addFinalizer((exit) =>
    Exit.hasInterrupts(exit) ? Effect.void : Effect.promise(() => Promise.all(calls))
  )
  const propose: RunHandle.RunHandle["propose"] = (proposal) =>
    Effect.suspend(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      calls.add(promise)
      const proposed = Effect.tap(handle.propose(proposal), (outcome) =>
        Effect.sync(() => (Roles.isStop(outcome) ? stops.push(outcome) : 0))
      )
      return Effect.ensuring(proposed, Effect.sync(resolve))
    })
  const carried: RunHandle.RunHandle = { ...handle, propose }
  return carried
})

const endOf = (parts: Parts) => {
  switch (parts.declared.kind) {
    case "debate":
      return debate(parts)
    case "hierarchical":
      return hierarchy(parts)
    case "pipeline":
      return pipeline(parts)
    case "plan_execute":
      return plan(parts)
    default:
      return orchestrator(parts)
  }
}

/** The tasks that a role answers, which are on record before the first one is ordered. */
const tasks = Effect.fnUntraced(function* ({ as, declared, handle }: Parts, role: string) {
  const boss = Topology.agentOf(declared, role)
  const crew = yield* Crew.make(handle, { boss, declared })
  const task = `orders of ${boss}`
  const order = { task, worker: boss, brief: "Split the goal into tasks", misfit: misfitOfOrders }
  const ended = yield* crew.fulfil([{ ...order, work: as(role, {}) }])
  if (ended._tag !== "Done") return { crew, ending: Ending.ofCrew(ended), orders: [] }
  return { crew, ending: undefined, orders: Schema.decodeUnknownSync(Orders)(ended.results[task]) }
})

const orchestrator = Effect.fnUntraced(function* (parts: Parts) {
  const { crew, ending, orders } = yield* tasks(parts, "boss")
  if (ending !== undefined) return ending
  const { as, declared } = parts
  const ended = yield* crew.fulfil(
    orders.map(({ brief, task, worker: role = "worker" }) => {
      const worker = Topology.agentOf(declared, role)
      return { task, brief, worker, work: as(role, { brief, task }) }
    })
  )
  return ended._tag === "Done" ? Ending.reached(ended.results) : Ending.ofCrew(ended)
})

const hierarchy = Effect.fnUntraced(function* (parts: Parts) {
  const { ending, orders } = yield* tasks(parts, "root")
  if (ending !== undefined) return ending
  const { as, declared, handle } = parts
  const made = yield* HierarchyRun.make(handle, {
    declared,
    tasks: orders,
    work: (order, agent) => as("leaf", order, agent),
    summarize: (shard, agent) => as("boss", shard, agent)
  })
  return yield* made.run
})

const pipeline = Effect.fnUntraced(function* ({ as, declared, handle }: Parts) {
  const made = yield* PipelineRun.make(handle, {
    declared,
    source: null,
    stage: (staging) => as(staging.stage, staging),
    isGood: (output) => as("judge", output)
  })
  return yield* made.run
})

const debate = Effect.fnUntraced(function* ({ as, declared, handle }: Parts) {
  const judged = declared.agents["judge"] === undefined ? {} : { decide: (tied: unknown) => as("judge", tied) }
  const made = yield* DebateRun.make(handle, {
    declared,
    draft: (drafting) => as("drafter", drafting),
    critique: (draft) => as("critic", draft),
    ...judged
  })
  return yield* made.run
})

const plan = Effect.fnUntraced(function* ({ as, declared, handle }: Parts) {
  const made = yield* PlanRun.make(handle, {
    declared,
    world: Effect.flatMap(as("world", {}), worldOf),
    plan: (planning) => as("planner", planning),
    carryOut: (step) =>
      as("executor", step).pipe(
        Effect.map(stepResultOf),
        // A step that throws has failed, and the plan with it. Only a step that waits stops the run.
        Effect.catchIf(
          (error) => !Crew.isWaiting(error),
          (error) => Effect.succeed({ failed: LossReason.ofError(error) })
        )
      )
  })
  return yield* made.run
})

/**
 * The end of a step as its executor answers it. A step that is said to have failed has, whatever the reason looks like;
 * an answer that is none is no end.
 */
const stepResultOf = (answered: unknown): unknown => {
  if (answered === undefined || Schema.is(PlanRun.StepResult)(answered)) return answered
  const { failed, missing } = Canonical.isObject(answered as Json) ? (answered as JsonObject) : {}
  if (failed === undefined || failed === null || failed === false || failed === 0) return { done: answered as Json }
  const reason = `it failed, with ${LossReason.found(failed)} for a reason`
  return typeof missing === "string" ? { failed: reason, missing } : { failed: reason }
}

/** The facts of the world as its role answers them. A world without facts would make every plan look fresh. */
const worldOf = (answered: unknown): Effect.Effect<JsonObject, Error> =>
  Effect.suspend(() => {
    const world = answered === undefined ? null : toTraceJson(answered)
    return Canonical.isObject(world)
      ? Effect.succeed(world)
      : Effect.fail(new Error(LossReason.otherThan(world, "an object of facts")))
  })
