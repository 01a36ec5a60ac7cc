/**
 * Records the calls of a model in a run, as a middleware of the AI SDK.
 *
 * Each call is an `observation.add` with what was used, and its tokens count against the budget of the pack. A call
 * that fails, or that nobody waits for any more, is recorded, too. Once a budget is used up, no further call is made.
 */
import type { JsonObject, Run } from "@backstitch/sdk"
import type { LanguageModelMiddleware } from "ai"
import * as ModelFailed from "./ModelFailed.ts"

type Middleware = Required<Pick<LanguageModelMiddleware, "wrapGenerate" | "wrapStream">>
type Result = Awaited<ReturnType<Middleware["wrapGenerate"]>>
type Part = Awaited<ReturnType<Middleware["wrapStream"]>>["stream"] extends ReadableStream<infer P> ? P : never
type Usage = Result["usage"]

/** The end of a call, as far as it is known. */
interface Ended {
  readonly finish: string
  readonly usage?: Usage | undefined
  readonly tools: ReadonlyArray<string>
  readonly error?: string | undefined
}

/** Makes a middleware for `wrapLanguageModel`, which records the calls of the model in a run. */
export const recordCalls = (run: Run): LanguageModelMiddleware => {
  let spent: string | undefined

  const record = async (model: string, ended: Ended): Promise<void> => {
    const { error, finish, tools, usage } = ended
    const [input, output] = [usage?.inputTokens.total, usage?.outputTokens.total]
    const call: JsonObject = { model, finish, tools, ...defined({ error, input_tokens: input, output_tokens: output }) }
    const tokens = input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
    const outcome = await run.record("observation.add", { model_call: call }, { tokens })
    if (outcome.status === "refused") spent = outcome.why
  }

  const permit = (model: string): void => {
    if (spent === undefined) return
    throw new ModelFailed.ModelFailed({ model, kind: "spent", detail: `was not asked: ${spent}` })
  }

  return {
    specificationVersion: "v4",
    wrapGenerate: async ({ doGenerate, model }) => {
      const name = ModelFailed.nameOf(model)
      permit(name)
      try {
        const result = await doGenerate()
        const tools = result.content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []))
        await record(name, { finish: result.finishReason.unified, usage: result.usage, tools })
        return result
      } catch (cause) {
        await record(name, { finish: "error", tools: [], error: messageOf(cause) })
        throw cause
      }
    },
    wrapStream: async ({ doStream, model }) => {
      const name = ModelFailed.nameOf(model)
      permit(name)
      try {
        const result = await doStream()
        return { ...result, stream: followed(result.stream, (ended) => record(name, ended)) }
      } catch (cause) {
        await record(name, { finish: "error", tools: [], error: messageOf(cause) })
        throw cause
      }
    }
  }
}

/**
 * Passes a stream on and tells once how it ended: finished, failed, cut off or cancelled. The stream is read to its end
 * even if its reader stops before, since the answer has its price.
 */
const followed = (stream: ReadableStream<Part>, told: (ended: Ended) => Promise<void>): ReadableStream<Part> => {
  const reader = stream.getReader()
  const tools: Array<string> = []
  let end: Omit<Ended, "tools"> = { finish: "cut off" }
  let isCancelled = false
  const pass = async (controller: ReadableStreamDefaultController<Part>): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (value.type === "tool-call") tools.push(value.toolName)
      if (value.type === "finish") end = { ...end, finish: value.finishReason.unified, usage: value.usage }
      if (value.type === "error") end = { finish: "error", error: messageOf(value.error) }
      if (!isCancelled) controller.enqueue(value)
    }
    await told({ ...(isCancelled ? { finish: "cancelled" } : end), tools })
  }
  return new ReadableStream<Part>({
    start: (controller) => {
      pass(controller).then(
        () => isCancelled || controller.close(),
        async (cause: unknown) => {
          await told({ finish: "error", error: messageOf(cause), tools }).catch(() => {})
          controller.error(cause)
        }
      )
    },
    cancel: async (reason) => {
      isCancelled = true
      await reader.cancel(reason)
    }
  })
}

const defined = (fields: Readonly<Record<string, string | number | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
