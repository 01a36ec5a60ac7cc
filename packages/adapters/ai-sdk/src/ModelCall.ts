/**
 * One call of a model: what it is asked, and what it answers, at once or as a stream.
 *
 * The tools that are offered have no code, so the AI SDK carries none out. Requests that brought no answer are sent
 * again by the AI SDK; an answer that came is never asked for twice.
 */
import {
  generateText,
  type JSONSchema7,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  NoSuchToolError,
  streamText,
  type ToolSet,
  tool
} from "ai"
import * as Limits from "./Limits.ts"
import * as ModelFailed from "./ModelFailed.ts"

/** The model, and how it is asked. */
export interface Options {
  readonly model: LanguageModel
  readonly timeoutMillis?: number | undefined
  readonly retriesMax?: number | undefined
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
  /** Called with the words of the model as they arrive. Without it, an answer is awaited as a whole. */
  readonly onText?: ((delta: string) => void) | undefined
}

/** A tool that is offered, with the JSON Schema of its arguments. */
export interface Offered {
  readonly description: string
  readonly input: object
}

/** The question to a model. */
export interface ModelQuestion {
  readonly instructions: string
  readonly messages: Array<ModelMessage>
  readonly tools: Readonly<Record<string, Offered>>
}

/** One call of a tool by a model: the tool as it was named, and its arguments, or the text that is no JSON. */
export interface Called {
  readonly name: string
  readonly input: unknown
  readonly isMalformed: boolean
  readonly isOffered: boolean
}

/** The answer of a model. */
export interface Answered {
  readonly text: string
  readonly calls: ReadonlyArray<Called>
  readonly finish: string
  readonly tokens: number | undefined
}

/** Asks a model once. Fails with a {@link ModelFailed.ModelFailed}. */
export const ask = async (options: Options, { instructions, messages, tools }: ModelQuestion): Promise<Answered> => {
  const { maxOutputTokens, model, onText, retriesMax = Limits.pacing.modelRetriesMax, temperature } = options
  const { timeoutMillis = Limits.pacing.modelMillisMax } = options
  const request = {
    model,
    instructions,
    messages,
    tools: toolsOf(tools),
    maxRetries: retriesMax,
    abortSignal: AbortSignal.timeout(timeoutMillis),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens })
  }
  const answer = await (onText === undefined ? whole(request) : streamed(request, onText)).catch((cause: unknown) => {
    throw ModelFailed.from(model, cause, timeoutMillis)
  })
  if (answer.finish !== "content-filter") return answer
  throw new ModelFailed.ModelFailed({
    model: ModelFailed.nameOf(model),
    kind: "blocked",
    detail: "withheld its answer"
  })
}

type Request = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0]

const whole = async (request: Request): Promise<Answered> => {
  const { finishReason, text, toolCalls, usage } = await generateText(request)
  return { text, finish: finishReason, calls: toolCalls.map(calledOf), tokens: usage.totalTokens }
}

/** Reads an answer as it arrives. An error in the stream is the error of the call: nothing of the answer is used. */
const streamed = async (request: Request, onText: (delta: string) => void): Promise<Answered> => {
  const calls: Array<Called> = []
  let text = ""
  let end: { readonly finish: string; readonly tokens: number | undefined } | undefined
  for await (const part of streamText({ ...request, onError: () => {} }).fullStream) {
    if (part.type === "error") throw part.error
    if (part.type === "abort") throw new DOMException("no answer came in time", "TimeoutError")
    if (part.type === "tool-call") calls.push(calledOf(part))
    if (part.type === "text-delta") {
      text += part.text
      onText(part.text)
    }
    if (part.type === "finish-step") end = { finish: part.finishReason, tokens: part.usage.totalTokens }
  }
  if (end === undefined) throw new Error("the stream ended before the answer did")
  return { text, calls, ...end }
}

const calledOf = (call: {
  readonly toolName: string
  readonly input: unknown
  readonly invalid?: boolean | undefined
  readonly error?: unknown
}): Called => ({
  name: call.toolName,
  input: call.input,
  isMalformed: call.invalid === true && typeof call.input === "string",
  isOffered: !NoSuchToolError.isInstance(call.error)
})

const toolsOf = (offered: ModelQuestion["tools"]): ToolSet =>
  Object.fromEntries(
    Object.entries(offered).map(([name, { description, input }]) => [
      name,
      tool({ description, inputSchema: jsonSchema(input as JSONSchema7), outputSchema: jsonSchema({}) })
    ])
  )
