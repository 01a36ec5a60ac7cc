/** One trial: a setting on the real runtime, from its first step to what is left in the world. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Substrate from "../../src/Substrate.ts"
import type * as Setting from "../scenario/Setting.ts"
import * as PacedPlanner from "./PacedPlanner.ts"
import * as ScenarioPack from "./ScenarioPack.ts"
import * as World from "./World.ts"

/** The record of a trial. */
export interface Trial {
  readonly setting: Setting.Setting
  readonly pack: TaskPack.TaskPack
  readonly world: World.World
  readonly planner: PacedPlanner.PacedPlanner
}

/** Plays a setting in which nobody changes their mind. */
export const play = (setting: Setting.Setting): Promise<Trial> => {
  const pack = packOf(setting)
  const world = new World.World(setting)
  const planner = new PacedPlanner.PacedPlanner(setting, pack)
  const played = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(Run.make("trial"), { pack, goal: "trial", clauses: setting.clauses })
    const outcome = yield* Agent.run(handle)
    if (outcome?._tag !== "Done") return yield* Effect.die(new Error(`the run ended with ${JSON.stringify(outcome)}`))
    return { setting, pack, world, planner }
  })
  return played.pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(Substrate.layer(TraceStore.layerMemory, world.tools), planner.layer), {
      local: true
    }),
    Effect.runPromise
  )
}

const packs = new Map<string, TaskPack.TaskPack>()

/** Packs of the same tools and steps are one pack, and are checked once. */
const packOf = (setting: Setting.Setting): TaskPack.TaskPack => {
  const written = JSON.stringify(ScenarioPack.written(setting))
  const pack = packs.get(written) ?? ScenarioPack.of(setting)
  packs.set(written, pack)
  return pack
}
