/**
 * One trial: a case on the real runtime under one strategy, with its result.
 *
 * The agent proposes the steps of its plan to a coordinator. If one fails, the strategy decides what to go back to,
 * and the agent continues from the resulting `working`.
 */
import type { Entry } from "@backstitch/admissibility/Entry"
import type { FailureEvent } from "@backstitch/admissibility/FailureEvent"
import * as Instance from "@backstitch/admissibility/Instance"
import * as Localization from "@backstitch/admissibility/Localization"
import type { Registry } from "@backstitch/admissibility/Registry"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Forking from "@backstitch/runtime/Forking"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Substrate from "../../src/Substrate.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"
import * as DomainPack from "./DomainPack.ts"
import * as Restoring from "./Restoring.ts"
import * as ScriptedPlanner from "./ScriptedPlanner.ts"
import type * as Strategy from "./Strategy.ts"
import * as World from "./World.ts"

/** The end of a trial, before its contract is judged. */
export type End = "blocked" | "finished" | "stuck"

/** The observed failure of a trial, with the answer of the gate if the strategy asked it. */
export interface Failed extends Restoring.Restored {
  readonly event: FailureEvent
  readonly localized: Localization.Localization
  /** The instance that the strategy restores. */
  readonly target: Entry | undefined
  readonly working: ScriptedPlanner.Working
  /** Other instances that were committed or over. */
  readonly complete: ReadonlyArray<string>
  /** Acts that stood in the systems of record. */
  readonly records: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The record of a trial. */
export interface Trial {
  readonly case: Domain.Case
  readonly domain: Domain.Domain
  readonly steps: ReadonlyArray<Plan.Step>
  readonly end: End
  readonly failed: Failed
  readonly registry: Registry
  readonly working: ScriptedPlanner.Working
  readonly records: ReadonlyMap<string, ReadonlyArray<string>>
  /** Steps from the failure up to the success of the failed step; `undefined` if it never succeeded. */
  readonly replayed: ReadonlyArray<Plan.Step> | undefined
  readonly times: Times
}

/** Milliseconds of a trial. `recovery` ends with the success of the failed step. */
export interface Times {
  readonly recovery: number | undefined
  readonly whole: number
}

/** A case under a strategy. */
export interface Request {
  readonly case: Domain.Case
  readonly domain: Domain.Domain
  readonly strategy: Strategy.Strategy
  /** Makes the planner for the steps of the case; it follows the plan unless another is given. */
  readonly planning?: ((steps: ReadonlyArray<Plan.Step>) => ScriptedPlanner.Planner) | undefined
  /** Looks at the run once it has ended. */
  readonly inspect?: ((run: RunHandle.RunHandle) => Effect.Effect<void, unknown, Substrate.Substrate>) | undefined
}

/** Runs a case under a strategy. */
export const run = ({ inspect, planning = ScriptedPlanner.make, ...at }: Request): Promise<Trial> => {
  const steps = Plan.steps(at.domain, at.case)
  const failing = steps[at.case.fails]
  if (failing === undefined) throw new Error(`${at.case.id} has no step that fails`)
  const world = new World.World(failing, at.case)
  const setting = { ...at, failing, inspect, planner: planning(steps), steps, world, pack: packOf(at.domain) }
  return work(setting).pipe(
    Effect.scoped,
    Effect.provide(Substrate.layer(TraceStore.layerMemory, world.tools(at.domain)), { local: true }),
    Effect.runPromise
  )
}

/** Plays the plan of a case without a failure. */
export const play = ({
  inspect = () => Effect.void,
  pack,
  ...at
}: Pick<Request, "case" | "domain" | "inspect"> & { readonly pack: TaskPack.TaskPack }): Promise<Played> => {
  const steps = Plan.steps(at.domain, at.case)
  const world = new World.World(undefined, at.case)
  const played = Effect.gen(function* () {
    const handle = yield* open({ pack, world }, 0)
    const began = performance.now()
    for (const step of steps) {
      const working = ScriptedPlanner.workingOf((yield* handle.standing).state)
      const outcome = yield* handle.propose(ScriptedPlanner.proposalOf(step, working))
      if (outcome._tag !== "Done") return yield* Effect.die(new Error(`${step.id} was ${JSON.stringify(outcome)}`))
    }
    yield* handle.flush
    const millis = performance.now() - began
    yield* inspect(handle)
    return { millis, steps: steps.length }
  })
  return played.pipe(
    Effect.scoped,
    Effect.provide(Substrate.layer(TraceStore.layerMemory, world.tools(at.domain)), { local: true }),
    Effect.runPromise
  )
}

/** The time of a run in which nothing failed. */
export interface Played {
  readonly millis: number
  readonly steps: number
}

const packs = new WeakMap<Domain.Domain, TaskPack.TaskPack>()

const packOf = (domain: Domain.Domain): TaskPack.TaskPack => {
  const pack = packs.get(domain) ?? DomainPack.of(domain)
  packs.set(domain, pack)
  return pack
}

interface Setting {
  readonly case: Domain.Case
  readonly domain: Domain.Domain
  readonly failing: Plan.Step
  readonly inspect: Request["inspect"]
  readonly pack: TaskPack.TaskPack
  readonly planner: ScriptedPlanner.Planner
  readonly steps: ReadonlyArray<Plan.Step>
  readonly strategy: Strategy.Strategy
  readonly world: World.World
}

/** A step that succeeded. */
interface Taken {
  readonly step: Plan.Step
  readonly tick: number
  readonly from: string
}

const work = Effect.fnUntraced(function* (setting: Setting) {
  const { domain, failing, planner, steps, world } = setting
  const began = performance.now()
  const taken: Array<Taken> = []
  let handle = yield* open(setting, 0)
  let failed: { readonly as: Failed; readonly at: number; readonly taken: number } | undefined
  let recovered: { readonly millis: number; readonly steps: ReadonlyArray<Plan.Step> } | undefined
  let end: End = "stuck"
  // A planner that repeats itself is stuck.
  for (let turn = 0; turn < 4 * steps.length; turn++) {
    const working = ScriptedPlanner.workingOf((yield* handle.standing).state)
    const step = yield* Effect.promise(() => planner.next(working))
    if (step === undefined) {
      end = "finished"
      break
    }
    const tick = yield* take(setting, handle, { step, working })
    if (tick !== undefined) {
      taken.push({ step, tick, from: working.state })
      if (failed !== undefined && recovered === undefined && step.id === failing.id) {
        recovered = {
          millis: performance.now() - failed.at,
          steps: taken.slice(failed.taken).map((each) => each.step)
        }
      }
      continue
    }
    if (failed !== undefined || step.id !== failing.id) break
    const at = performance.now()
    const observed = yield* observe(setting, handle, working)
    const next = yield* goBack(setting, handle, { failed: observed, taken })
    failed = { as: { ...observed, ...next.restored }, at, taken: taken.length }
    if (next.handle === undefined) {
      end = "blocked"
      break
    }
    handle = next.handle
  }
  if (failed === undefined) return yield* Effect.die(new Error(`${setting.case.id} never failed`))
  const { registry } = yield* lift(handle)
  const trial: Trial = {
    case: setting.case,
    domain,
    steps,
    end,
    failed: failed.as,
    registry,
    working: ScriptedPlanner.workingOf((yield* handle.standing).state),
    records: world.records,
    replayed: recovered?.steps,
    times: { recovery: recovered?.millis, whole: performance.now() - began }
  }
  if (setting.inspect !== undefined) yield* setting.inspect(handle)
  return trial
})

const open = Effect.fnUntraced(function* ({ pack, world }: Pick<Setting, "pack" | "world">, session: number) {
  world.begin()
  const coordinator = yield* Coordinator.Coordinator
  return yield* coordinator.open(Run.make(`trial-${session}`), { pack, goal: "trial" })
})

/** Takes a step; answers the tick at which it succeeded, or `undefined` if it failed. */
const take = Effect.fnUntraced(function* (
  setting: Setting,
  handle: RunHandle.RunHandle,
  { step, working }: { readonly step: Plan.Step; readonly working: ScriptedPlanner.Working }
) {
  const { signal } = setting.case
  const proposal = ScriptedPlanner.proposalOf(step, working)
  const isAgents = signal === "chain_exception" || signal === "missing_input"
  if (isAgents && setting.world.isFailing(step.id)) {
    if (signal === "chain_exception") return undefined
    yield* handle.propose({ ...proposal, params: { entity: step.entity } })
    return undefined
  }
  const outcome = yield* handle.propose(proposal)
  return outcome._tag === "Done" ? outcome.tick : undefined
})

const lift = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  return (yield* handle.subtasks) ?? (yield* Effect.die(new Error("the run has no subtasks")))
})

/** The failure as the run shows it, and the state in which it found the run. */
const observe = Effect.fnUntraced(function* (
  { case: { signal }, failing, strategy, world }: Setting,
  handle: RunHandle.RunHandle,
  working: ScriptedPlanner.Working
) {
  world.cure()
  const { failure, registry, state, tick } = yield* lift(handle)
  // An agent that failed between two actions left nothing on record.
  const own: FailureEvent = { tick, state, tool: failing.tool, signal, entity: failing.entity }
  const event = signal === "chain_exception" ? own : (failure ?? own)
  const localized = Localization.localize(registry, event)
  return {
    event,
    localized,
    target: targetOf(strategy, registry, localized),
    working,
    complete: [...registry.entries.values()].flatMap(({ instance, phase }) => {
      const name = Instance.show(instance)
      return phase === "open" || name === failing.instance ? [] : [name]
    }),
    records: new Map([...world.records].map(([at, values]) => [at, [...values]]))
  }
})

/** The instance that a strategy restores: the failed one, unless it names another. */
const targetOf = (
  strategy: Strategy.Strategy,
  { entries }: Registry,
  localized: Localization.Localization
): Entry | undefined =>
  strategy._tag === "Force" && strategy.instance !== undefined
    ? [...entries.values()].find(({ instance }) => Instance.show(instance) === strategy.instance)
    : localized._tag === "Identified"
      ? localized.entry
      : undefined

/** Goes back as the strategy says; answers the run in which the agent continues, if there is one. */
const goBack = Effect.fnUntraced(function* (
  setting: Setting,
  handle: RunHandle.RunHandle,
  {
    failed: { event, target },
    taken
  }: { readonly failed: Pick<Failed, "event" | "target">; readonly taken: ReadonlyArray<Taken> }
) {
  const { strategy } = setting
  const none: Restoring.Restored = {}
  if (strategy._tag === "Rerun") return { handle: yield* open(setting, 1), restored: none }
  if (strategy._tag === "Anchor") return { handle: yield* fork(setting, handle, taken), restored: none }
  const restored = yield* Restoring.restore(handle, { failure: event, strategy, target })
  return { handle: restored.checkpoint === undefined ? undefined : handle, restored }
})

/** Forks the run at the last anchor before the failed instance began. */
const fork = Effect.fnUntraced(function* (
  { domain, failing, world }: Setting,
  handle: RunHandle.RunHandle,
  taken: ReadonlyArray<Taken>
) {
  const first = taken.findIndex(({ step }) => step.instance === failing.instance)
  const before = first < 0 ? taken : taken.slice(0, first)
  const anchor = before.findLast(({ from, step }) =>
    domain.anchors.includes(Plan.next(domain, from, step.tool) ?? from)
  )
  yield* handle.flush
  world.begin()
  const child = Run.make("trial-fork")
  yield* Forking.fork({ parent: handle.run, at: anchor?.tick ?? 1, child })
  return yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(child))
})
