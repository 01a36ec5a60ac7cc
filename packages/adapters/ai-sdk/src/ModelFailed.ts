/** Failures of models: no answer, a refusal by the provider, or answers from which nothing can be proposed. */
import { APICallError, type LanguageModel, RetryError } from "ai"

/**
 * The kind of a failure.
 *
 * - `no_answer`: no answer came in time, or the connection was lost.
 * - `refused`: the provider answered with an error.
 * - `blocked`: the provider withheld the answer.
 * - `unusable`: several answers in a row proposed nothing.
 * - `spent`: it was not asked, because a budget is used up.
 * - `unread`: it read no change of the goal in the words of a user.
 * - `fruitless`: many proposals in a row were refused or failed, or a budget is used up.
 */
export type FailureKind = "no_answer" | "refused" | "blocked" | "unusable" | "spent" | "unread" | "fruitless"

/** Error of a model that stops its planner. What was committed before it stays. */
export class ModelFailed extends Error {
  readonly _tag = "ModelFailed"
  readonly model: string
  readonly kind: FailureKind

  constructor(about: {
    readonly model: string
    readonly kind: FailureKind
    readonly detail: string
    readonly cause?: unknown
  }) {
    const { cause, detail, kind, model } = about
    super(`the model ${model} ${detail}. ${remedies[kind]}`, { cause })
    this.model = model
    this.kind = kind
  }
}

const remedies: Readonly<Record<FailureKind, string>> = {
  no_answer: "Nothing was proposed: resume the run to ask it again",
  refused: "Nothing was proposed: look at the key, the address and the name of the model, and resume the run",
  blocked: "Nothing was proposed: say it otherwise, or choose another model, and resume the run",
  unusable: "Choose a model that calls tools, and resume the run",
  spent: "Nothing was proposed: raise the budget in the pack, or end the run",
  unread: "Say it otherwise, or give the changes themselves",
  fruitless: "Look at the refusals, and revise the goal or choose another model"
}

/** Names a model. */
export const nameOf = (model: LanguageModel): string =>
  typeof model === "string" ? model : `${model.provider}/${model.modelId}`

/** Tells what is known of an error of a model call. */
export const from = (model: LanguageModel, cause: unknown, timeoutMillis: number): ModelFailed => {
  const last = RetryError.isInstance(cause) ? cause.lastError : cause
  const about = { model: nameOf(model), cause }
  if (isTimeout(last))
    return new ModelFailed({ ...about, kind: "no_answer", detail: `did not answer within ${timeoutMillis / 1000} s` })
  const detail = messageOf(last)
  const status = APICallError.isInstance(last) ? last.statusCode : 200
  if (status === undefined)
    return new ModelFailed({ ...about, kind: "no_answer", detail: `cannot be reached (${detail})` })
  return status < 300
    ? new ModelFailed({ ...about, kind: "no_answer", detail: `gave no readable answer (${detail})` })
    : new ModelFailed({ ...about, kind: "refused", detail: `was refused with status ${status} (${detail})` })
}

const isTimeout = (cause: unknown): boolean =>
  cause instanceof Error && (cause.name === "TimeoutError" || cause.name === "AbortError")

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
