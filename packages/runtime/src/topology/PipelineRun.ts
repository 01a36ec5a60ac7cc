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
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"
import * as FollowedEvents from "./followedEvents.ts"
import * as LossReason from "./lossReason.ts"

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
export interface PipelineErrand<R = never> {
  readonly declared: Topology.Topology
  readonly source: Json
  readonly stage: (staging: Staging) => Effect.Effect<unknown, unknown, R>
  readonly gate?: ((output: Output) => boolean) | undefined
  readonly isGood: (output: Output) => Effect.Effect<unknown, unknown, R>
}

/**
 * The gates, the judged passes of each stage, the latest last, and the red gates: since a person was asked, and by
 * stage since an earlier one was red. A turn is a red gate or a question: work behind it has another name than before.
 */
interface Followed {
  readonly state: Pipeline.Pipeline
  readonly passes: Map<string, ReadonlyArray<string>>
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
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: PipelineErrand<R>) {
  const { declared, gate = () => true, source } = errand
  const { order } = declared
  const judge = Topology.agentOf(declared, "judge")
  const crew = yield* Crew.make(handle, { boss: judge, declared })

  const follow = FollowedEvents.make<Followed>(handle, {
    init: () => ({ state: Pipeline.shape.init, passes: new Map(), turns: 0, reds: 0, redsOf: new Map() }),
    asked: (self) => ({ ...self, turns: self.turns + 1, reds: 0, redsOf: new Map() }),
    step: (self, event) => {
      const { passes, reds, redsOf, turns } = self
      const memo = event._tag === "Noted" ? event.memo : undefined
      const { state } = Pipeline.shape.step(self.state, event, declared)
      if (memo?.memo !== "gate" || memo.whole === true) return { ...self, state }
      const { green, stage } = memo
      passes.set(stage, [...(passes.get(stage) ?? []), passOf(stage, turns)])
      if (green) return { ...self, state }
      const before = [...redsOf].filter(([each]) => order.indexOf(each) <= order.indexOf(stage))
      const times = (redsOf.get(stage) ?? 0) + 1
      return { ...self, state, turns: turns + 1, reds: reds + 1, redsOf: new Map(before).set(stage, times) }
    }
  })

  /** The latest output of a stage. A gate that sends the item back judges no new one. */
  const outputOf = ({ passes }: Followed, stage: string) =>
    Effect.map(crew.results, (results) => {
      const latest = passes.get(stage)?.findLast((task) => results.has(task))
      return (latest === undefined ? undefined : results.get(latest)) ?? null
    })

  /** The verdict of the judge on the output of a stage, which is on record once it is given. */
  const verdict = Effect.fnUntraced(function* (followed: Followed, stage: string) {
    const task = `judge ${stage}, pass ${followed.turns + 1}`
    const work = errand.isGood({ stage, output: yield* outputOf(followed, stage) })
    const order = { task, worker: judge, brief: "Tell whether the output is good", misfit: misfitOfVerdict, work }
    const ended = yield* crew.fulfil([order])
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
    const { reds, redsOf, turns } = followed
    const place = order.indexOf(stage)
    if (reds >= Limits.pacing.passesMax) return Ending.ask("cascading_poison", [stage])
    if ((redsOf.get(stage) ?? 0) >= 2) return yield* sendBack(followed, order.slice(0, place), stage)
    const task = passOf(stage, turns)
    const input = place === 0 ? source : yield* outputOf(followed, order[place - 1] ?? "")
    const worker = Topology.agentOf(declared, stage)
    const work = errand.stage({ stage, input, sentBack: turns })
    const misfit = (output: Json) => misfitOfOutput(output, input)
    const ended = yield* crew.fulfil([{ task, worker, brief: `Carry out the stage ${stage}`, misfit, work }])
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
      if (way._tag === "Ship") return Ending.reached(yield* outputOf(followed, order.at(-1) ?? ""))
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

const misfitOfVerdict = LossReason.ofSchema(Schema.Boolean, "`true` or `false`")

/** A stage hands something on, and no text that it was itself given. Data that it has looked through may be equal. */
const misfitOfOutput = (output: Json, input: Json): string | undefined => {
  if (output === null) return LossReason.otherThan(output, "an output for the next stage")
  return typeof output === "string" && output === input ? "it handed its input on as it was" : undefined
}

const passOf = (stage: string, turns: number): string => `${stage}, pass ${turns + 1}`
