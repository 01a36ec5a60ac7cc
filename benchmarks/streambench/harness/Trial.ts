/**
 * One trial: a setting on the real runtime under a policy, with revisions on the way, and what is left in the world.
 *
 * The agent works until a revision is due. It is injected, absorbed as the policy chooses, and the agent works on.
 */
import type * as Absorption from "@backstitch/absorber/Absorption"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Agent from "@backstitch/runtime/Agent"
import * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Revising from "@backstitch/runtime/Revising"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Substrate from "../../src/Substrate.ts"
import * as Judge from "../judge/Judge.ts"
import type * as Setting from "../scenario/Setting.ts"
import * as ContentJudge from "./ContentJudge.ts"
import * as PacedPlanner from "./PacedPlanner.ts"
import * as Policy from "./Policy.ts"
import * as ScenarioPack from "./ScenarioPack.ts"
import * as Wanted from "./Wanted.ts"
import * as World from "./World.ts"

/** A revision that is due once the agent has taken a number of steps. */
export interface Due {
  readonly after: number
  readonly revision: Setting.Revision
}

/** A trial to be run. */
export interface Request {
  readonly setting: Setting.Setting
  readonly policy: Policy.Name
  readonly dues: ReadonlyArray<Due>
  /** Contracts do not say what calls assume, so that a judge is asked. */
  readonly silent?: boolean | undefined
  /** The agent; the deterministic planner unless another is given. */
  readonly choosing?: PacedPlanner.Choosing | undefined
  /** The judge of what is left; the rules of {@link Judge.judge} unless another is given. */
  readonly judging?: ((evidence: Judge.Evidence) => Judge.Verdict | Promise<Judge.Verdict>) | undefined
}

/** One absorption: its plan, and what each of the two rules would have discarded of the same trace. */
export interface Absorbed {
  /** Steps that stood before it, or were discarded before. */
  readonly steps: number
  /** Acts of class K and X that stood. */
  readonly committed: number
  readonly plan: Absorption.Absorption
  readonly byRule: { readonly earliest: number; readonly closure: number }
  /** The places of the discarded acts among those steps. */
  readonly discardedPlaces: ReadonlyArray<number>
  /** The questions that contracts left open. */
  readonly questions: number
}

/** The record of a trial. */
export interface Trial {
  readonly request: Request
  readonly pack: TaskPack.TaskPack
  readonly evidence: Judge.Evidence
  readonly verdict: Judge.Verdict
  readonly absorptions: ReadonlyArray<Absorbed>
  /** Steps that the agent took, in order. */
  readonly taken: ReadonlyArray<Setting.PlannedStep>
  readonly takenBack: { readonly compensations: number; readonly inversions: number }
  readonly tokens: number
}

/** Runs a trial. */
export const run = (request: Request): Promise<Trial> => {
  const { choosing, judging = Judge.judge, setting, silent } = request
  const { tells, ...policy } = Policy.all[request.policy] as Policy.Policy
  const pack = packOf(setting, { ...policy.rules, silent })
  const wanted = Wanted.of(
    setting,
    pack,
    Wanted.revised(
      setting,
      request.dues.map(({ revision }) => revision)
    )
  )
  const world = new World.World(setting)
  const planner = new PacedPlanner.PacedPlanner(setting, pack, choosing)
  const judge = new ContentJudge.ContentJudge(setting, pack)
  const worked = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(Run.make("trial"), { pack, goal: "trial", clauses: setting.clauses })
    const absorptions: Array<Absorbed> = []
    for (const { after, revision } of tells === "never" ? [] : request.dues) {
      planner.pauseAfter = tells === "before" ? 0 : after
      yield* work(handle)
      absorptions.push(yield* revise(handle, { planner, policy, revision }))
    }
    planner.pauseAfter = undefined
    yield* work(handle)
    const { declared = {}, taken } = planner
    const evidence = { steps: setting.steps, things: world.things, wanted, declared }
    const tokens = Math.ceil((planner.characters + judge.characters) / 4)
    const verdict = yield* Effect.promise(async () => judging(evidence))
    return { request, pack, evidence, verdict, absorptions, taken, takenBack: takenBack(world), tokens }
  })
  return worked.pipe(
    Effect.scoped,
    Effect.provideService(CompatibilityJudge.CompatibilityJudge, judge),
    Effect.provide(Layer.mergeAll(Substrate.layer(TraceStore.layerMemory, world.tools), planner.layer), {
      local: true
    }),
    Effect.runPromise
  )
}

/** Lets the agent work until its planner pauses or is done. */
const work = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  const outcome = yield* Agent.run(handle)
  if (outcome !== undefined && outcome._tag !== "Done") {
    return yield* Effect.die(new Error(`the agent ended with ${JSON.stringify(outcome)}`))
  }
})

const rules = {
  earliest: Policy.byRule({ rule: "earliest_conflict", reversible: "leave" }),
  closure: Policy.byRule({ rule: "dependency_closure", reversible: "leave" })
} as const

/** Injects a revision and absorbs it. */
const revise = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  at: {
    readonly planner: PacedPlanner.PacedPlanner
    readonly policy: Pick<Policy.Policy, "by">
    readonly revision: Setting.Revision
  }
) {
  const { planner, policy, revision } = at
  const injected = yield* Revising.inject(handle, revision)
  if (injected._tag !== "Done") return yield* Effect.die(new Error(`not injected: ${JSON.stringify(injected)}`))
  const discardedBy = (by: Policy.Policy["by"]) =>
    Effect.map(Revising.plan(handle, { by, widen: true }), (plan) => plan?.absorption.discarded.length ?? 0)
  const byRule = { earliest: yield* discardedBy(rules.earliest), closure: yield* discardedBy(rules.closure) }
  const judging = yield* handle.judging
  const absorbed = yield* Revising.absorb(handle, { by: policy.by, widen: true })
  if (absorbed?.outcome._tag !== "Done") {
    return yield* Effect.die(new Error(`not absorbed: ${JSON.stringify(absorbed?.outcome)}`))
  }
  const { absorption: plan, acts, answers } = absorbed.planned
  for (const { action } of plan.lost) {
    const item = ContentJudge.itemOf(judging?.acts.calls.get(action)?.params)
    if (item !== undefined) planner.lost.add(item)
  }
  const standing = acts.filter(({ isDiscarded, stands }) => stands && isDiscarded !== true)
  const committed = standing.filter(({ class: reversibility }) => reversibility === "K" || reversibility === "X")
  return {
    steps: acts.length,
    committed: committed.length,
    plan,
    byRule,
    discardedPlaces: plan.discarded.map((id) => acts.findIndex(({ action }) => action === id)),
    questions: answers.size
  } satisfies Absorbed
})

const takenBack = ({ things }: World.World): Trial["takenBack"] => ({
  compensations: things.filter(({ status }) => status === "corrected" || status === "cancelled").length,
  inversions: things.filter(({ status }) => status === "deleted").length
})

const packs = new Map<string, TaskPack.TaskPack>()

/** Settings with the same tools and steps have one pack, which is checked once. */
const packOf = (setting: Setting.Setting, options: ScenarioPack.Options): TaskPack.TaskPack => {
  const written = JSON.stringify(ScenarioPack.written(setting, options))
  const pack = packs.get(written) ?? ScenarioPack.of(setting, options)
  packs.set(written, pack)
  return pack
}
