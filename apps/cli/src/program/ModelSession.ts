/**
 * The model that a command names: it plans in place of the agent, reads the words of users, and judges acts. The
 * libraries that speak with it are loaded when it is named, and not before.
 */
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as Planner from "@backstitch/runtime/Planner"
import type * as RevisionReading from "@backstitch/runtime/RevisionReading"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ModelFlags from "../input/ModelFlags.ts"
import * as Limits from "../Limits.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** A model, in the places that a run has for one. */
export interface NamedModel {
  /** Its name, for the record. */
  readonly name: string
  readonly planner: Layer.Layer<Planner.Planner>
  readonly reader: RevisionReading.Reader
  readonly judge: CompatibilityJudge.Judge
}

/** Opens the model that the flags name; `undefined` if they name none. Nothing is asked yet. */
export const open = Effect.fnUntraced(function* (given: ModelFlags.FlagValues) {
  const named = yield* ModelFlags.parse(given)
  if (named === undefined) return undefined
  const { make } = yield* Effect.promise(() => import("./openAiModel.ts"))
  const { judge, next, reader } = make(named)
  const model: NamedModel = {
    name: `openai-compatible/${named.modelId}`,
    planner: Planner.layerFrom(next),
    reader,
    judge: {
      questionsMax: Limits.refusing.judgedActsMax,
      answer: (batch) => Effect.promise(() => judge(batch).catch((): CompatibilityJudge.Answers => new Map()))
    }
  }
  return model
})

/** The agent with the model as its planner and its judge, if there is one. */
export const acting = (file: AgentFile.AgentFile, model: NamedModel | undefined): AgentFile.AgentFile =>
  model === undefined ? file : { ...file, planner: Layer.merge(model.planner, judging(model)) }

/** The judge as a layer. */
export const judging = ({ judge }: NamedModel): Layer.Layer<never> =>
  Layer.succeed(CompatibilityJudge.CompatibilityJudge, judge)

/** Prints which model plans. */
export const tell = (model: NamedModel | undefined, { baseUrl }: ModelFlags.FlagValues): void => {
  if (model !== undefined) TextTable.sentence(Terminal.bold("MODEL:"), `${model.name} | at ${baseUrl}`)
}
