/**
 * A pipeline in an open run: stages in a row, a gate behind each, and a verdict on the whole.
 *
 * | when | follows |
 * | --- | --- |
 * | a process goes on | the stage behind the last clean gate |
 * | a gate is red | its stage once more, on the output of the last clean one |
 * | it is red again | the stage whose output poisoned it, if the judge finds one; else a question to a person |
 * | the whole is red, and every stage is green | the poisoned stage, found by halving, and those behind it |
 * | stages were done again too often | a question to a person |
 *
 * @source Crash Recovery, pipeline crash profile
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Pipeline from "@backstitch/topology/Pipeline"
import type { Json } from "@backstitch/trace/Canonical"
import * as Bisect from "@backstitch/version-control/Bisect"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"
import * as FollowedEvents from "./followedEvents.ts"

/** Work of a stage: its input, and the number of times that the item was sent back before. */
export interface Staging {
  readonly stage: string
  readonly input: Json
  readonly sentBack: number
}

/** An output, and the stage that made it. */
export interface Output {
  readonly stage: string
  readonly output: Json
}

/**
 * The errand of a pipeline. `gate` judges the output of a stage by itself; `isGood` judges an output in the light of
 * the whole, and has to stay false behind the first stage for which it is.
 */
export interface Errand<R = never> {
  readonly declared: Topology.Topology
  readonly source: Json
  readonly stage: (staging: Staging) => Effect.Effect<unknown, unknown, R>
  readonly gate?: ((output: Output) => boolean) | undefined
  readonly isGood: (output: Output) => Effect.Effect<unknown, unknown, R>
}

/**
 * The gates, results by task, the latest output by stage, and the red gates: since a person was asked, and by stage
 * since an earlier one was red. A turn is a red gate or a question: work behind it has another name than before.
 */
interface Followed {
  readonly state: Pipeline.Pipeline
  readonly results: Map<string, Json>
  readonly outputs: Map<string, Json>
  readonly turns: number
  readonly reds: number
  readonly redsOf: ReadonlyMap<string, number>
}

/** A pipeline that is carried out. */
export interface PipelineRun<R = never> {
  readonly run: Effect.Effect<Ending.Ending, RunHandle.RunError, R>
  /** Kills the worker that has a task, such as `write, pass 1`. */
  readonly kill: Crew.Crew["kill"]
}

/** Prepares a pipeline in an open run. Its workers end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: Errand<R>) {
  const { declared, gate = () => true, source } = errand
  const { order } = declared
  const { judge = "judge" } = declared.agents
  const crew = yield* Crew.make(handle, { boss: judge, declared })

  const follow = FollowedEvents.make<Followed>(handle, {
    init: () => ({
      state: Pipeline.shape.init,
      results: new Map(),
      outputs: new Map(),
      turns: 0,
      reds: 0,
      redsOf: new Map()
    }),
    asked: (self) => ({ ...self, turns: self.turns + 1, reds: 0, redsOf: new Map() }),
    step: (self, event) => {
      const { outputs, reds, redsOf, results, turns } = self
      const memo = event._tag === "Noted" ? event.memo : undefined
      if (memo?.memo === "report" && !results.has(memo.task)) results.set(memo.task, memo.result as Json)
      const { state } = Pipeline.shape.step(self.state, event, declared)
      if (memo?.memo !== "gate" || memo.whole === true) return { ...self, state }
      const { green, stage } = memo
      const output = results.get(passOf(stage, turns))
      if (output !== undefined) outputs.set(stage, output)
      if (green) return { ...self, state }
      const before = [...redsOf].filter(([each]) => order.indexOf(each) <= order.indexOf(stage))
      const times = (redsOf.get(stage) ?? 0) + 1
      return { ...self, state, turns: turns + 1, reds: reds + 1, redsOf: new Map(before).set(stage, times) }
    }
  })

  /** The verdict of the judge on the output of a stage, which is on record once it is given. */
  const verdict = Effect.fnUntraced(function* ({ outputs, turns }: Followed, stage: string) {
    const task = `judge ${stage}, pass ${turns + 1}`
    const work = errand.isGood({ stage, output: outputs.get(stage) ?? null })
    const fits = (result: Json): boolean => typeof result === "boolean"
    const ended = yield* crew.fulfil([{ task, worker: judge, brief: "Tell whether the output is good", fits, work }])
    return ended._tag === "Done" ? ended.results[task] === true : Ending.ofCrew(ended)
  })

  /** Sends the item back to the stage at which the poison entered, among the stages up to a place. */
  const sendBack = Effect.fnUntraced(function* (followed: Followed, stages: ReadonlyArray<string>, suspect: string) {
    let search = Bisect.start({ length: stages.length })
    for (let next = Bisect.next(search); "probe" in next; next = Bisect.next(search)) {
      const isGood = yield* verdict(followed, stages[next.probe - 1] ?? suspect)
      if (typeof isGood !== "boolean") return isGood
      search = Bisect.answer(search, !isGood)
    }
    const { stage } = Pipeline.foundIn(stages, search)
    if (stage === undefined) return Ending.ask("cascading_poison", [suspect])
    const command = `${stage} is poisoned, pass ${followed.turns + 1}`
    return Ending.stopped(yield* commit(handle, { memo: "gate", stage, green: false }, { agent: judge, command }))
  })

  const pass = Effect.fnUntraced(function* (followed: Followed, stage: string) {
    const { outputs, reds, redsOf, turns } = followed
    const place = order.indexOf(stage)
    if (reds >= Limits.pacing.passesMax) return Ending.ask("cascading_poison", [stage])
    if ((redsOf.get(stage) ?? 0) >= 2) return yield* sendBack(followed, order.slice(0, place), stage)
    const task = passOf(stage, turns)
    const input = place === 0 ? source : (outputs.get(order[place - 1] ?? "") ?? null)
    const worker = Topology.agentOf(declared, stage)
    const work = errand.stage({ stage, input, sentBack: turns })
    const ended = yield* crew.fulfil([{ task, worker, brief: `Carry out the stage ${stage}`, work }])
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const output = ended.results[task] ?? null
    const memo = { memo: "gate", stage, green: gate({ stage, output }) } as const
    return Ending.stopped(yield* commit(handle, memo, { agent: worker, command: `gate ${task}` }))
  })

  const judgeWhole = Effect.fnUntraced(function* (followed: Followed) {
    const last = order.at(-1) ?? ""
    const isGood = yield* verdict(followed, last)
    if (typeof isGood !== "boolean") return isGood
    const memo = { memo: "gate", stage: last, whole: true, green: isGood } as const
    return Ending.stopped(
      yield* commit(handle, memo, { agent: judge, command: `gate the whole, pass ${followed.turns + 1}` })
    )
  })

  const run = Effect.gen(function* () {
    while (true) {
      const followed = yield* follow
      const way = Pipeline.resume(followed.state, declared)
      if (way._tag === "Ship") return Ending.reached(followed.outputs.get(order.at(-1) ?? "") ?? null)
      const ending =
        way._tag === "Stage"
          ? yield* pass(followed, way.stage)
          : way._tag === "Judge"
            ? yield* judgeWhole(followed)
            : yield* sendBack(followed, order, order.at(-1) ?? "")
      if (ending !== undefined) return ending
    }
  })
  const made: PipelineRun<R> = { run, kill: crew.kill }
  return made
})

const passOf = (stage: string, turns: number): string => `${stage}, pass ${turns + 1}`
