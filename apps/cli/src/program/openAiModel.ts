/** A model at an address that speaks like OpenAI. This module brings the AI SDK along. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import * as ActJudge from "@backstitch/ai-sdk/ActJudge"
import * as GoalReader from "@backstitch/ai-sdk/GoalReader"
import * as ModelPlanner from "@backstitch/ai-sdk/ModelPlanner"
import type * as ModelFlags from "../input/ModelFlags.ts"

/** Makes the planner, the reader and the judge of a model. */
export const make = ({ baseUrl, key, modelId }: ModelFlags.Named) => {
  const authorised = key === undefined ? {} : { apiKey: key }
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    includeUsage: true,
    ...authorised
  })
  const options = { model: provider(modelId) }
  return { next: ModelPlanner.make(options), reader: GoalReader.make(options), judge: ActJudge.make(options) }
}
