/**
 * The flags of commands that let a model plan: where it is and which one it is. Its key comes from the environment and
 * is never typed.
 */
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"
import * as Environment from "./Environment.ts"
import * as Flags from "./Flags.ts"

/** The flags that name a model. */
export const flags = {
  model: Flags.choice(
    "model",
    ["openai-compatible"],
    "Let a model plan instead of the agent's own steps or next. Its key, if it needs one, is in BACKSTITCH_MODEL_KEY"
  ),
  baseUrl: Flags.text("base-url", "URL", "With --model: the address of its API, such as http://127.0.0.1:11434/v1"),
  modelId: Flags.text("model-id", "ID", "With --model: the name of the model at that address")
}

/** The same flags of a command that plans nothing. */
export const judging = {
  ...flags,
  model: Flags.choice(
    "model",
    ["openai-compatible"],
    "Let a model judge the acts about which no contract decides. Its key, if it needs one, is in BACKSTITCH_MODEL_KEY"
  )
}

/** The values of the flags. */
export interface FlagValues {
  readonly model: "openai-compatible" | undefined
  readonly baseUrl: string | undefined
  readonly modelId: string | undefined
}

/** The flags as typed, each by its name. */
export const typed = ({ baseUrl, model, modelId }: FlagValues) => ({
  "--model": model,
  "--base-url": baseUrl,
  "--model-id": modelId
})

/** A model that was named in full, and its key if there is one. */
export interface Named {
  readonly baseUrl: string
  readonly modelId: string
  readonly key: string | undefined
}

/** Reads the flags; `undefined` if no model is named. */
export const parse = Effect.fnUntraced(function* ({ baseUrl, model, modelId }: FlagValues) {
  if (model === undefined) {
    if (baseUrl === undefined && modelId === undefined) return undefined
    const flag = baseUrl === undefined ? "--model-id" : "--base-url"
    return yield* new Usage({ problem: `${flag} goes with --model openai-compatible: name all three, or none` })
  }
  if (baseUrl === undefined || modelId === undefined) {
    const missing = baseUrl === undefined ? "its address with --base-url URL" : "the model with --model-id ID"
    return yield* new Usage({ problem: `--model ${model} is not enough: name ${missing}` })
  }
  const url = URL.parse(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return yield* new Usage({ problem: `"${baseUrl}" is no address of a model. One begins with http:// or https://` })
  }
  if (url.username !== "" || url.password !== "") {
    return yield* new Usage({
      problem: "The address of a model is printed and takes no password: put the key into BACKSTITCH_MODEL_KEY"
    })
  }
  const named: Named = { baseUrl, modelId, key: Environment.get("BACKSTITCH_MODEL_KEY") || undefined }
  return named
})

/** Refuses a model for a command without an agent: it would plan nothing. */
export const refuse = ({ model }: Pick<FlagValues, "model">): Effect.Effect<void, Usage> =>
  model === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: "--model plans for an agent: name the agent with --agent FILE" }))
